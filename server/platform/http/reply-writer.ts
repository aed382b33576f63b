import { z } from 'zod'
import { madeInPieces } from '../pieces.ts'
import { compileSerializer } from '../serialize.ts'

/** So many rows are written at once. */
const few = 2000

/** As `compileSerializer`; a long list in `data` is written in pieces that leave the event loop free in between. */
export function compileReplyWriter(schema: z.ZodType): (reply: unknown) => string | Promise<Buffer> {
  const write = compileSerializer(schema)
  const { data, ...others } = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
  if (!(data instanceof z.ZodArray)) return write
  const writeRows = compileSerializer(data)
  const writeOthers = compileSerializer(z.object(others))
  return (reply) => {
    const { data: rows } = reply as { data: readonly unknown[] }
    return rows.length > few ? writeLong(rows, writeRows, writeOthers(reply)) : write(reply)
  }
}

async function writeLong(
  rows: readonly unknown[],
  writeRows: (rows: readonly unknown[]) => string,
  others: string,
): Promise<Buffer> {
  const pieces = await madeInPieces(rows, (some) => [Buffer.from(`,${writeRows(some).slice(1, -1)}`)])
  const [first = Buffer.alloc(0), ...rest] = pieces
  const end = others === '{}' ? ']}' : `],${others.slice(1)}`
  return Buffer.concat([Buffer.from('{"data":['), first.subarray(1), ...rest, Buffer.from(end)])
}
