import { report } from "./report.ts";

Promise.all([report(["pen", "book"]), report(["piano"])]).then(
  (reports) => console.log(JSON.stringify(reports)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
