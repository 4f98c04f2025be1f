/** Entry point `holdfast/workflows`: what a worker bundles. Only workflow functions are exported. */
export { conversation } from "./conversation.js";
