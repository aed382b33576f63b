import { z } from 'zod'
import { isRecord } from '../../../shared/objects.ts'
import { beginSteps, inSteps, type Steps, untilDone } from '../../lib/pieces.ts'
import { compileSerializer } from '../serialize.ts'

/** Size of the parts in which a long reply is written. */
const partCharacters = 64 * 1024

type ReplyWriter = (reply: unknown) => string | Promise<Buffer>

/** What is left of a reply after a few milliseconds is written in steps that leave the event loop free in between. */
export function compileReplyWriter(schema: z.ZodType): ReplyWriter {
  const write = stepsFor(schema)
  if (!write) return compileSerializer(schema)
  return (reply) => {
    const written = new Written()
    const done = beginSteps(write(reply, written), (rest) => {
      written.isLong = true
      return inSteps(untilDone, rest)
    })
    return done instanceof Promise ? done.then(() => inSteps(untilDone, written.toBuffer())) : written.toString()
  }
}

/** Compiled with the first reply, so that an appliance does not start later with each endpoint that it has. */
export function lazyReplyWriter(schema: z.ZodType): ReplyWriter {
  let write: ReplyWriter | undefined
  return (reply) => {
    write ??= compileReplyWriter(schema)
    return write(reply)
  }
}

/** What has been written so far; bytes where it is long, so that the texts need not be kept. */
class Written {
  isLong = false
  #texts: string[] = []
  readonly #bytes: Buffer[] = []

  add(text: string): void {
    this.#texts.push(text)
    if (!this.isLong) return
    this.#bytes.push(Buffer.from(this.#texts.join('')))
    this.#texts = []
  }

  toString(): string {
    return this.#texts.join('')
  }

  /** Tens of megabytes take their time even to be put together. */
  *toBuffer(): Steps<Buffer> {
    const parts = [...this.#bytes, Buffer.from(this.toString())]
    const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      at += part.copy(whole, at)
      yield
    }
    return whole
  }
}

type Write = (reply: unknown, written: Written) => Steps<void>

/** Lists are written row by row, everything else at once. Null where there is no list. */
function stepsFor(schema: z.ZodType): Write | null {
  if (schema instanceof z.ZodArray) return rowsOf(schema)
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  const lists = Object.entries(shape).flatMap(([key, field]) => (field instanceof z.ZodArray ? [{ key, field }] : []))
  if (lists.length === 0) return null
  const writers = lists.map(({ key, field }) => ({ key, name: JSON.stringify(key), write: rowsOf(field) }))
  const others = Object.fromEntries(Object.entries(shape).filter(([key]) => !lists.some((list) => list.key === key)))
  const writeOthers = compileSerializer(z.object(others))
  return function* (reply, written) {
    if (!isRecord(reply)) throw new Error('A reply is not the object that its contract says')
    for (const [at, { key, name, write }] of writers.entries()) {
      written.add(`${at === 0 ? '{' : ','}${name}:`)
      yield* write(reply[key], written)
    }
    const rest = writeOthers(reply)
    written.add(rest === '{}' ? '}' : `,${rest.slice(1)}`)
  }
}

/** Row by row, for one may take as long as a thousand others. */
function rowsOf(list: z.ZodArray): Write {
  const write = compileSerializer(list.element)
  return function* (reply, written) {
    if (!Array.isArray(reply)) throw new Error('A reply is not the list that its contract says')
    let text = '['
    for (const [at, row] of reply.entries()) {
      text += at === 0 ? write(row) : `,${write(row)}`
      if (text.length > partCharacters) {
        written.add(text)
        text = ''
      }
      yield
    }
    written.add(`${text}]`)
  }
}
