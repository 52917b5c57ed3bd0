import { workflow } from "cairnjs";

namespace Rates {
  export const standard = 5;
}

export default workflow("sample", async () => {
  return [Rates.standard, Rates];
});

enum Size {
  Small,
}
namespace Size {
  export const largest = 9;
}
function typed() {
  return 1;
}
namespace typed {
  export type Result = number;
}

export const merged = workflow("merged", async () => [Size, typed()]);
