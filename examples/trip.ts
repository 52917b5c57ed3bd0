import { action, compensate, currentCall, sleep, workflow } from "cairnjs";

/** Takes its time, as calls to other companies do. */
const answer = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class SoldOut extends Error {}

const reserveFlight = action("trip.reserve-flight.v1", async (to: string) => {
  await answer(900);
  return `flight to ${to}`;
});
const reserveHotel = action("trip.reserve-hotel.v1", async (city: string, nights: number) => {
  await answer(600);
  return `${nights} nights in ${city}`;
});
const upgrade = action("trip.upgrade.v1", { nonRetryable: [SoldOut] }, async (booking: string) => {
  await answer(300);
  throw new SoldOut(`no better seats on the ${booking}`);
});
const charge = action("trip.charge.v1", { retry: { attempts: 5, baseMs: 700 } }, async (cents: number) => {
  await answer(200);
  if (currentCall().attempt < 3) throw new Error("the bank does not answer");
  return `paid ${cents / 100} €`;
});
const cancelBooking = action("trip.cancel-booking.v1", async (booking: string) => `cancelled: ${booking}`);
const reserveTour = action("trip.reserve-tour.v1", async (city: string) => `tour of ${city}`);
const findGuide = action("trip.find-guide.v1", { retry: { attempts: 1 } }, async (city: string): Promise<string> => {
  throw new Error(`no guide in ${city} is free`);
});

/** Fails, and undoes what it did. */
export const tour = workflow("trip.tour.v1", async (city: string) => {
  const booking = await reserveTour(city);
  compensate(cancelBooking, booking);
  return `${booking} with ${await findGuide(city)}`;
});

export default workflow("trip.book.v1", async ({ city, nights }: { city: string; nights: number }) => {
  const [flight, hotel] = await Promise.all([reserveFlight(city), reserveHotel(city, nights)]);

  let seats = "better seats";
  try {
    await upgrade(flight);
  } catch (error) {
    if (!(error instanceof SoldOut)) throw error;
    seats = "ordinary seats";
  }

  const receipt = await charge(nights * 12_900 + 24_500);
  await sleep("8 s"); // A cooling-off period: in real life two weeks, which would be as good.

  let extra = "no tour";
  try {
    extra = await tour(city);
  } catch {
    // A trip without a tour is a trip.
  }
  return { flight, hotel, seats, receipt, extra };
});

export const input = { city: "Lisbon", nights: 3 };
