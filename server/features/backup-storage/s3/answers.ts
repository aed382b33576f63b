import sax from 'sax'
import type { Response } from 'undici'
import { onePiece } from '../../../lib/pieces.ts'

/** What S3 says in XML: the values below its root, and lists of things that have values of their own. */
export interface S3Values {
  values: Readonly<Record<string, string>>
  /** In the order in which they stand there. */
  items: readonly S3Item[]
}

export interface S3Item {
  /** Such as `Contents`. */
  kind: string
  values: Readonly<Record<string, string>>
}

/** A page of a listing with long names has less. */
const maxAnswer = 4 * 1024 * 1024

/** The bytes of an answer, at most so many. */
export async function beginOf({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  return Buffer.concat(chunks)
}

/**
 * Reads an answer as it arrives. What is no XML has no values: a page of a proxy, for example.
 * @throws what the connection does
 */
export async function valuesIn({ body }: Response): Promise<S3Values> {
  const reader = new Reader()
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswer) return nothing
    // All of a page may have arrived already.
    await onePiece(() => reader.take(decoder.decode(chunk, { stream: true })))
  }
  return reader.end()
}

const nothing: S3Values = { values: {}, items: [] }

class Reader {
  readonly #parser = sax.parser(true)
  readonly #values: Record<string, string> = {}
  readonly #items: S3Item[] = []
  #path: string[] = []
  #item: Record<string, string> = {}
  #text = ''
  #isBroken = false

  constructor() {
    this.#parser.onerror = () => {
      this.#isBroken = true
    }
    this.#parser.onopentag = ({ name }) => {
      this.#path.push(name)
      this.#text = ''
      if (this.#path.length === 2) this.#item = {}
    }
    this.#parser.ontext = (text) => {
      this.#text += text
    }
    this.#parser.oncdata = (text) => {
      this.#text += text
    }
    this.#parser.onclosetag = (name) => this.#close(name)
  }

  take(text: string): void {
    if (this.#isBroken) return
    try {
      this.#parser.write(text)
    } catch {
      this.#isBroken = true
    }
  }

  end(): S3Values {
    try {
      if (!this.#isBroken) this.#parser.close()
    } catch {
      this.#isBroken = true
    }
    return this.#isBroken || this.#path.length > 0 ? nothing : { values: this.#values, items: this.#items }
  }

  /** A thing in a list has values of its own, which stand before its end. */
  #close(name: string): void {
    const depth = this.#path.length
    this.#path.pop()
    if (depth === 3) this.#item[name] = this.#text
    if (depth === 2 && Object.keys(this.#item).length > 0) this.#items.push({ kind: name, values: this.#item })
    else if (depth === 2) this.#values[name] = this.#text
    this.#text = ''
  }
}
