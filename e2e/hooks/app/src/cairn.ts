// Names of the package under other names: what a module is made of does not show in its own text.
export { workflow as flow, step as stage } from "cairnjs";
export * from "cairnjs";
