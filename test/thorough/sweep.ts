import type { LightMyRequestResponse } from 'fastify'
import { contents } from '../contract/stage.ts'
import type { TestApp } from '../helpers/test-app.ts'

/** What an answer never shows: our sources, our libraries, our database. */
const insides =
  /\n\s+at |node_modules|file:\/\/|\/server\/|\.ts:\d|SQLITE|SqliteError|ZodError|kysely|TypeError|RangeError|Cannot read prop|is not a function|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b .*\b(FROM|VALUES|SET|WHERE)\b/

/** What is not offered (501), not taken by a server behind this one (502), or not ready (503) may say so. */
const isHonest = (status: number) => status >= 501 && status <= 503

/** A refused call may go on record as refused. */
const records = ['audit_logs', 'audit_chains']

type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'body'>

/** Makes calls one after the other, and keeps what was wrong with their answers. */
export class Sweep {
  readonly faults: string[] = []
  calls = 0
  readonly #app: TestApp
  readonly #unwatched: ReadonlySet<string>
  readonly #changes
  readonly #newest
  #seen = 0
  #contents: Record<string, string> = {}
  #event = 0

  private constructor(app: TestApp, unwatched: readonly string[]) {
    this.#app = app
    this.#unwatched = new Set([...records, ...unwatched])
    this.#changes = app.db.statement('SELECT total_changes()').pluck()
    this.#newest = app.db.statement('SELECT coalesce(max(seq), 0) FROM audit_logs').pluck()
  }

  /** Tables that are not watched may change at any time. */
  static async of(app: TestApp, unwatched: readonly string[] = []): Promise<Sweep> {
    const sweep = new Sweep(app, unwatched)
    await sweep.remember()
    return sweep
  }

  /** From now on this is how the tables are. */
  async remember(): Promise<void> {
    this.#contents = await contents(this.#app)
    this.#event = this.#newest.get() as number
    this.#seen = this.#changes.get() as number
  }

  /** No failure, and nothing of the insides, whatever the answer is. */
  look(name: string, { statusCode, body }: Answer): void {
    this.calls++
    if (statusCode >= 500 && !isHonest(statusCode)) this.fault(name, `failed with ${statusCode}: ${body}`)
    const leak = insides.exec(body)
    if (leak) this.fault(name, `tells ${JSON.stringify(leak[0])}: ${body}`)
  }

  /** And it is a refusal, that changed nothing. */
  async lookRefused(name: string, answer: Answer): Promise<void> {
    if (answer.statusCode < 400) this.fault(name, `was not refused: ${answer.statusCode} ${answer.body}`)
    await this.lookHarmless(name, answer)
  }

  /** And it changed nothing. */
  async lookHarmless(name: string, answer: Answer): Promise<void> {
    this.look(name, answer)
    if (this.#changes.get() === this.#seen) return
    const now = await contents(this.#app)
    const changed = Object.keys(now).filter((table) => now[table] !== this.#contents[table])
    const watched = changed.filter((table) => !this.#unwatched.has(table))
    if (watched.length > 0) this.fault(name, `changed ${watched.join(', ')}`)
    const done = this.#app.db
      .statement(`SELECT action FROM audit_logs WHERE seq > ? AND result = 'success'`)
      .pluck()
      .all(this.#event)
    if (done.length > 0) this.fault(name, `is on record as done: ${done.join(', ')}`)
    await this.remember()
  }

  fault(name: string, what: string): void {
    this.faults.push(`${name} ${what}`.slice(0, 500))
  }
}
