import { VArray, VObject, type Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import { deleteElement, elementAt, hasElement, isOrdinary, newArray, setElementAt } from "./array-like.ts";
import type { OperationTable } from "./host-table.ts";
import { chargeOrder, toText } from "./string-conversion.ts";

/** The parts of sorting that call nothing back. `list` is always an array of the prelude's own. */
export const sortOperations: OperationTable = {
  sortable: (context, [object, length]) => {
    const items: Value[] = [];
    eachElement(context, object as VObject, length as number, (item) => {
      if (item !== undefined) items.push(item);
    });
    return newArray(context, items);
  },
  undefinedCount: (context, [object, length, countHoles]) => {
    let count = 0;
    let present = 0;
    eachElement(context, object as VObject, length as number, (item) => {
      present++;
      if (item === undefined) count++;
    });
    return countHoles === true ? count + (length as number) - present : count;
  },
  sortPrimitives: (context, [list]) => sortPrimitives(context, list as VArray),
  storeSorted: (context, [object, list, undefinedCount, length]) => {
    store(context, object as VObject, (list as VArray).items, undefinedCount as number, length as number);
    return undefined;
  },
  appendUndefined: (context, [list, count]) => {
    context.touch(list as VArray);
    context.charge(count as number, (count as number) * 8);
    for (let added = 0; added < (count as number); added++) (list as VArray).items.push(undefined);
    return undefined;
  },
  sliceOf: (context, [list, start, count]) => {
    const end = (start as number) + (count as number);
    return newArray(context, (list as VArray).items.slice(start as number, end));
  },
  copyRange: (context, [source, from, target, to, count]) => {
    copyRange(context, source as VArray, from as number, target as VArray, to as number, count as number);
    return undefined;
  },
  reverseRange: (context, [list, start, end]) => {
    const { items } = list as VArray;
    context.touch(list as VArray);
    context.charge(1 + ((end as number) - (start as number)) / 8, 0);
    for (let low = start as number, high = (end as number) - 1; low < high; low++, high--) {
      [items[low], items[high]] = [items[high], items[low]];
    }
    return undefined;
  },
};

/** Every element that is there, in order. */
function eachElement(context: HostContext, object: VObject, length: number, visit: (item: Value) => void): void {
  if (object instanceof VArray) {
    context.charge(1 + length / 4, 0);
    object.items.forEach(visit);
    return;
  }
  for (let index = 0; index < length; index++) {
    context.charge(4, 0);
    if (hasElement(object, index)) visit(elementAt(context, object, index));
  }
}

/** A stable sort has one result for a consistent order, whatever pairs it compares. */
function sortPrimitives(context: HostContext, list: VArray): boolean {
  const { items } = list;
  context.charge(1 + items.length / 4, 0);
  if (items.some((item) => item instanceof VObject)) return false;
  context.touch(list);
  context.charge(items.length * Math.ceil(Math.log2(items.length + 1)) * 4, items.length * 24);
  const keyed = items.map((item) => ({ item, text: toText(context, item) }));
  chargeOrder(
    context,
    keyed.map(({ text }) => text),
  );
  keyed.sort((left, right) => (left.text < right.text ? -1 : right.text < left.text ? 1 : 0));
  keyed.forEach(({ item }, index) => {
    items[index] = item;
  });
  return true;
}

function store(
  context: HostContext,
  object: VObject,
  sorted: readonly Value[],
  undefinedCount: number,
  length: number,
): void {
  context.touch(object);
  context.charge(1 + length / 4, 0);
  const filled = sorted.length + undefinedCount;
  if (isOrdinary(object)) {
    const { items } = object;
    for (let index = 0; index < sorted.length; index++) items[index] = sorted[index];
    for (let index = sorted.length; index < filled; index++) items[index] = undefined;
    for (let index = filled; index < length; index++) delete items[index];
    return;
  }
  for (let index = 0; index < length; index++) {
    context.charge(4, 0);
    if (index < filled) setElementAt(context, object, index, sorted[index]);
    else deleteElement(context, object, index);
  }
}

function copyRange(
  context: HostContext,
  source: VArray,
  from: number,
  target: VArray,
  to: number,
  count: number,
): void {
  if (count <= 0) return;
  context.touch(target);
  context.charge(1 + count / 8, 0);
  if (source === target) {
    source.items.copyWithin(to, from, from + count);
    return;
  }
  for (let step = 0; step < count; step++) target.items[to + step] = source.items[from + step];
}
