import { action, type Sealed, sealed, workflow } from "cairnjs";

interface Patient {
  readonly name: string;
  readonly born: Date;
}

const load = action("clinic.load", async (id: string): Promise<{ id: string; patient: Sealed<Patient> }> => {
  return { id, patient: sealed({ name: `Ada ${id}`, born: new Date("1990-05-01") }) };
});

const invite = action("clinic.invite", async (patient: Sealed<Patient>) => {
  return `Dear ${patient.value.name}`.length;
});

export const visit = workflow("clinic.visit", async (id: string) => {
  const { patient } = await load(id); // the body holds it, and cannot read it
  const letters = await invite(patient);
  return { letters, patient };
});
