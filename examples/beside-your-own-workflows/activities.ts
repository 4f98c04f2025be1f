export async function readContract(name: string): Promise<string> {
  return `Contract ${name}: the price is paid in three parts; the seller bears the risk until delivery.`;
}
