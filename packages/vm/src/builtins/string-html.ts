import type { HostEntry, HostTable } from "./host-table.ts";
import { chargeText, receiverText, toText } from "./string-conversion.ts";

/** Annex B's methods that wrap a text in an HTML element. */
export const stringHtml: HostTable = {
  "String.prototype.anchor": wrapper("anchor", "a", "name"),
  "String.prototype.big": wrapper("big", "big"),
  "String.prototype.blink": wrapper("blink", "blink"),
  "String.prototype.bold": wrapper("bold", "b"),
  "String.prototype.fixed": wrapper("fixed", "tt"),
  "String.prototype.fontcolor": wrapper("fontcolor", "font", "color"),
  "String.prototype.fontsize": wrapper("fontsize", "font", "size"),
  "String.prototype.italics": wrapper("italics", "i"),
  "String.prototype.link": wrapper("link", "a", "href"),
  "String.prototype.small": wrapper("small", "small"),
  "String.prototype.strike": wrapper("strike", "strike"),
  "String.prototype.sub": wrapper("sub", "sub"),
  "String.prototype.sup": wrapper("sup", "sup"),
};

function wrapper(name: string, element: string, attribute?: string): HostEntry {
  const path = `String.prototype.${name}`;
  return {
    call(context, self, args) {
      const text = receiverText(context, self, path);
      const value = attribute === undefined ? "" : toText(context, args[0]);
      chargeText(context, text.length + value.length * 6);
      const given = attribute === undefined ? "" : ` ${attribute}="${value.replaceAll('"', "&quot;")}"`;
      return `<${element}${given}>${text}</${element}>`;
    },
  };
}
