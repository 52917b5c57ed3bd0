import { workflow } from "cairnjs";
import { standard } from "./modules/rates.ts";

const standard = 1;
function helper() {}
function helper() {}

export default workflow("sample", async (input: number) => {
  function fine() {}
  function fine() {}
  var fine;
  {
    function twice() {}
    async function twice() {}
    function left() {}
    {
      var left;
    }
  }
  switch (input) {
    case 1:
      function chosen() {}
    default:
      function chosen() {}
  }
});
