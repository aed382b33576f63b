import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'
import { containsText } from './contains-text.ts'

/** What rules want to know of the names of a device's software; all of it in small letters. */
export interface SoftwareAsked {
  /** Texts that some name may contain. */
  parts: ReadonlySet<string>
  /** Whole names that the index can not find. */
  names: ReadonlySet<string>
}

/** A device may have ten thousand names: so many are read at a time. */
const namesPerPage = 500
/** Stands in no name. */
const separator = '\0'

/** The index knows the case of ASCII letters only. */
const isIndexed = (name: string): boolean => /^\p{ASCII}*$/u.test(name)

/** Whole names, by how they are looked for. */
export interface WantedNames {
  indexed: readonly string[]
  others: readonly string[]
}

/** Sorted once for a rule: a company has thousands of devices to be asked. */
export const wantedNames = (names: readonly string[]): WantedNames => ({
  indexed: names.filter(isIndexed),
  others: names.filter((name) => !isIndexed(name)),
})

/**
 * The names of what is installed on one device. Whole names are looked up in the index; the list is read only when a part
 * of a name is asked for, and then once for everything that is asked.
 */
export class Software {
  readonly #db: Database
  readonly #deviceId: string
  readonly #asked: SoftwareAsked
  #found: { parts: Set<string>; names: Set<string> } | null = null

  constructor(db: Database, deviceId: string, asked: SoftwareAsked) {
    this.#db = db
    this.#deviceId = deviceId
    this.#asked = asked
  }

  /** Whether some name contains a text, which has to be among those asked. */
  *contains(part: string): Steps<boolean> {
    this.#found ??= yield* this.#read()
    return this.#found.parts.has(part)
  }

  /** Which of these something is called. */
  *called({ indexed, others }: WantedNames): Steps<Set<string>> {
    const called = new Set(indexed.length > 0 ? this.#lookedUp(indexed) : [])
    if (others.length === 0) return called
    this.#found ??= yield* this.#read()
    const { names } = this.#found
    if (names.size > 0) for (const name of others) if (names.has(name)) called.add(name)
    return called
  }

  #lookedUp(names: readonly string[]): string[] {
    return this.#db
      .statement<string>(
        `SELECT value FROM json_each(?) AS wanted WHERE EXISTS (
           SELECT 1 FROM device_software WHERE device_id = ? AND report = ? AND name = wanted.value COLLATE NOCASE)`,
      )
      .pluck()
      .all(JSON.stringify(names), this.#deviceId, this.#inForce())
  }

  /** Goes through the list until everything asked is found; how much is asked makes a page no longer. */
  *#read() {
    const left = new Set([...this.#asked.parts].filter((part) => !part.includes(separator)))
    const found = { parts: new Set<string>(), names: new Set<string>() }
    const report = this.#inForce()
    const page = this.#db
      .statement<string>(
        `SELECT name FROM device_software WHERE device_id = ? AND report = ? AND name > +? COLLATE NOCASE
         ORDER BY name COLLATE NOCASE LIMIT ${namesPerPage}`,
      )
      .pluck()
    for (let last: string | undefined = report > 0 ? '' : undefined; last !== undefined; ) {
      const some = page.all(this.#deviceId, report, last)
      const names = some.map((name) => name.toLowerCase())
      for (const name of names) if (this.#asked.names.has(name)) found.names.add(name)
      yield
      const text = `${separator}${names.join(separator)}${separator}`
      for (const part of left) {
        if (!(yield* containsText(text, part))) continue
        left.delete(part)
        found.parts.add(part)
      }
      const isEnough = some.length < namesPerPage || (left.size === 0 && found.names.size === this.#asked.names.size)
      last = isEnough ? undefined : some.at(-1)
    }
    return found
  }

  /** The list that counts; one under way stands beside it. */
  #inForce(): number {
    const report = this.#db.statement(`SELECT content FROM device_reports WHERE device_id = ? AND kind = 'software'`)
    return Number(report.pluck().get(this.#deviceId) ?? 0)
  }
}
