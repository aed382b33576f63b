/** Which of many small numbers are marked: a bit for each. */
export class Marks {
  #bits = new Uint8Array(1024)

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }

  add(number: number): void {
    const at = number >> 3
    if (at >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(at + 1, this.#bits.length * 2))
      larger.set(this.#bits)
      this.#bits = larger
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7))
  }
}
