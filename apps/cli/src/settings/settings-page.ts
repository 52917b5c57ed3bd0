import {
  CONFIG_SETTING,
  CONNECTION_SETTINGS,
  CONTROL_PLANE_SETTINGS,
  keyOf,
  OPERATOR_SETTINGS,
  type Setting,
  WORKER_SETTINGS,
} from "./known-settings.ts";

const GROUPS: readonly (readonly [title: string, settings: readonly Setting[]])[] = [
  ["Control planes: `cairn start`, `cairn dev`", CONTROL_PLANE_SETTINGS],
  [
    "Operators: `cairn runs`, `schedules`, `subscriptions`, `outbox`, `retention`, `secrets`, `keys`, `audit`, `limits`, `workers`, `workflows`, `promote`, `events`, `doctor`",
    OPERATOR_SETTINGS,
  ],
  ["Workers and clients: `cairn worker`, `cairn run`", CONNECTION_SETTINGS],
  ["Workers: `cairn worker`, `cairn dev`", WORKER_SETTINGS],
  ["All of them", [CONFIG_SETTING]],
];

/** The tables of docs/configuration.md. */
function settingsTables(): string {
  return GROUPS.map(([title, settings]) => `### ${title}\n\n${table(settings)}`).join("\n\n");
}

/** Between these lines of the page stands what is made. */
const PAGE_MARKS = ["<!-- made by apps/cli/scripts/generate-settings-page.mjs -->", "<!-- end -->"] as const;

/** The page with the tables in their place. */
export function withTables(page: string): string {
  const [begin, end] = PAGE_MARKS;
  const [before = "", rest = ""] = page.split(begin, 2);
  return `${before}${begin}\n\n${settingsTables()}\n\n${end}${rest.split(end, 2)[1] ?? ""}`;
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const { name, flag, help, usual } = setting;
    const shownFlag = flag === undefined ? "" : `\`${flag.split(" ", 1)[0]}\``;
    const key = setting === CONFIG_SETTING ? "" : `\`${keyOf(name)}\``;
    const standard = usual === undefined ? "" : /^[\w.:/]+$/.test(usual) ? `\`${usual}\`` : usual;
    return `| \`${name}\` | ${key} | ${shownFlag} | ${help} | ${standard} |`.replaceAll("|  |", "| |");
  });
  return ["| variable | in the file | flag | | if it is not given |", "|---|---|---|---|---|", ...rows].join("\n");
}
