import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import { parseJson } from '../server-client.ts'

/** Something in a snapshot, as `restic ls --json` prints it. */
const snapshotNode = z.object({
  struct_type: z.literal('node'),
  type: z.string(),
  path: z.string(),
  // Older versions leave out what is 0.
  size: z.number().default(0),
  mtime: z.string(),
})
export type SnapshotNode = z.output<typeof snapshotNode>

export const nodeIn = (value: unknown): SnapshotNode | undefined => snapshotNode.safeParse(value).data

/** Passes a listing on as it is, and tells of each file in it. */
export class FilesPassing extends Transform {
  readonly #decoder = new StringDecoder('utf8')
  readonly #onFile: (node: SnapshotNode) => void
  #rest = ''

  constructor(onFile: (node: SnapshotNode) => void) {
    super()
    this.#onFile = onFile
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    this.#take(this.#rest)
    done()
  }

  #take(line: string): void {
    if (!line.includes('"type":"file"')) return
    const node = nodeIn(parseJson(line))
    if (node?.type === 'file') this.#onFile(node)
  }
}
