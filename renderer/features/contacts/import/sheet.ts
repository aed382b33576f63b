import Papa from 'papaparse'
import { UserFacingError } from '../../../lib/user-facing-error.ts'
import { outcomeColumns } from './outcome-columns.ts'

export interface SheetRow {
  /** Row number as in a spreadsheet, where row 1 holds the column names. */
  number: number
  cells: string[]
}

/** A parsed file of rows. */
export interface Sheet {
  name: string
  delimiter: string
  columns: string[]
  rows: SheetRow[]
  /** Number of blank lines between and after the rows. */
  blankRows: number
}

const maxBytes = 50 * 1024 * 1024

/** @throws UserFacingError if the file cannot be read as rows */
export async function readSheet(file: File): Promise<Sheet> {
  if (file.size > maxBytes) throw new UserFacingError('The file is larger than 50 MB. Split it.')
  const bytes = await file.arrayBuffer()
  return sheetFrom(textOf(bytes), file.name)
}

/** Decodes UTF-8 or UTF-16 by byte order mark; otherwise UTF-8 if valid, else Windows-1252. */
export function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** @throws UserFacingError if it has no rows */
export function sheetFrom(text: string, name: string): Sheet {
  if (text.startsWith('PK\u0003\u0004')) throw new UserFacingError('This is a workbook. Save it as CSV first.')
  if (text.includes('\0')) throw new UserFacingError('This isn’t a text file. Save the list as CSV first.')
  const { data, errors, meta } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const open = errors.find(({ code }) => code === 'MissingQuotes')
  if (open) throw new UserFacingError(`The quotation mark in row ${(open.row ?? 0) + 1} is never closed.`)
  const [header = [], ...lines] = data
  // The line break at the end starts no row.
  const body = lines.slice(0, lines.findLastIndex((cells) => cells.join('') !== '' || cells.length > 1) + 1)
  const rows = body.flatMap((cells, index) =>
    cells.some((cell) => cell.trim()) ? [{ number: index + 2, cells: cells.map(plain) }] : [],
  )
  if (rows.length === 0)
    throw new UserFacingError('The file has no rows. The first row names the columns; contacts follow below.')
  return withoutOutcomes({
    name,
    delimiter: meta.delimiter,
    columns: columnsOf(header, rows),
    rows,
    blankRows: body.length - rows.length,
  })
}

/** The sheet with other cells in one row. */
export const withCells = (sheet: Sheet, index: number, cells: string[]): Sheet => ({
  ...sheet,
  rows: sheet.rows.map((row, at) => (at === index ? { ...row, cells } : row)),
})

/** Removes the apostrophe that keeps a spreadsheet from evaluating the cell. */
const plain = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function columnsOf(header: string[], rows: SheetRow[]): string[] {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), header.length)
  return Array.from({ length: width }, (_, index) => plain(header[index] ?? '').trim() || `Column ${index + 1}`)
}

/** Drops the outcome columns of an earlier result file. */
function withoutOutcomes(sheet: Sheet): Sheet {
  const kept = sheet.columns.length - outcomeColumns.length
  const isResult = outcomeColumns.every((name, index) => sheet.columns[kept + index] === name)
  if (!isResult) return sheet
  const cut = (cells: string[]) => cells.slice(0, kept)
  return {
    ...sheet,
    columns: cut(sheet.columns),
    rows: sheet.rows.map(({ number, cells }) => ({ number, cells: cut(cells) })),
  }
}
