interface Named {
  id: string
  hostname: string
}

/** Of many devices those that come first in a list by name, without keeping all of them. */
export class FirstByName<Device extends Named> {
  readonly #limit: number
  #first: { device: Device; key: string }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(device: Device): void {
    this.#first.push({ device, key: device.hostname.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) })
    if (this.#first.length >= 2 * this.#limit + 100) this.#trim()
  }

  all(): Device[] {
    this.#trim()
    return this.#first.map(({ device }) => device)
  }

  /** In the order in which the database lists names: whatever the case of ASCII letters. */
  #trim(): void {
    this.#first.sort((a, b) => compare(a.key, b.key) || compare(a.device.id, b.device.id))
    this.#first = this.#first.slice(0, this.#limit)
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
