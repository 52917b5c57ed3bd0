export class Base {
  kind = "base";
}
