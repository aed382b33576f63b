interface Named {
  id: string
  hostname: string
}

/** Of many devices those that come first in a list by name, without keeping all of them. */
export class FirstByName<Device extends Named> {
  readonly #most: number
  #kept: { device: Device; key: string }[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(device: Device): void {
    this.#kept.push({ device, key: device.hostname.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) })
    if (this.#kept.length >= 2 * this.#most + 100) this.#trim()
  }

  all(): Device[] {
    this.#trim()
    return this.#kept.map(({ device }) => device)
  }

  /** In the order in which the database lists names: whatever the case of ASCII letters. */
  #trim(): void {
    this.#kept.sort((a, b) => compare(a.key, b.key) || compare(a.device.id, b.device.id))
    this.#kept = this.#kept.slice(0, this.#most)
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
