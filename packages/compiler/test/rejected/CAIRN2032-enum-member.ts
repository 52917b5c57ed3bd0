import { workflow } from "cairnjs";

enum Size {
  Small = 1,
  Large = Small * 2,
  Random = Math.random(),
}

enum Dynamic {
  Fixed = 1,
  "later-on" = [1, 2].length,
}

export const whole = workflow("whole", async () => Object.keys(Dynamic));

export default workflow("sample", async () => [Size.Small, Size.Large, Size.Random]);
