// Classes of the v flag with strings: the longest that fits is taken, the shorter ones are left on the
// stack, then a single character, then the empty string.
import { simpleFold } from "../unicode/case-folding.ts";
import { passCharacter, readCharacter } from "./input-characters.ts";
import { MODE_CODE_POINTS } from "./instructions.ts";
import { ENTRY_BRANCH, type MatchState } from "./match-state.ts";
import { hasCharacter, type CharacterTable, type RegExpProgram, type StringTable } from "./program.ts";
import { goOn, push } from "./match-moves.ts";
import { childNode } from "./string-nodes.ts";

/** Not interrupted: it looks at no more characters than the pattern has. */
export function runStrings(program: RegExpProgram, input: string, state: MatchState): number {
  const table = program.stringTables[program.code[state.pc + 1] as number] as StringTable;
  const mode = (program.code[state.pc + 2] as number) + MODE_CODE_POINTS;
  const set = program.sets[table.set] as CharacterTable;
  let position = state.position;
  let best = table.nodes[0] === 1 ? position : -1;
  let used = 0;
  for (let node = 0; node >= 0; used++) {
    const character = readCharacter(input, position, mode);
    if (character < 0) break;
    position = passCharacter(position, character, mode);
    node = childNode(table.nodes, node, table.isFolded ? simpleFold(character) : character);
    const isEnd = (node >= 0 && table.nodes[node] === 1) || (used === 0 && hasCharacter(set, character));
    if (!isEnd) continue;
    if (best >= 0) push(state, best, 0, ((state.pc + 3) << 3) | ENTRY_BRANCH);
    best = position;
  }
  if (best >= 0) state.position = best;
  goOn(state, best >= 0, 3);
  return used;
}
