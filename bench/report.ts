import type { Answer } from './compare.ts'

/** Tables that read well both in a terminal and in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
export const count = (value: number) => whole.format(value)
export const percent = (share: number) => `${Math.round(share * 100)} %`
export const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(1))
const verdict = (value: number, aim: number | undefined) =>
  aim === undefined ? '' : `≥ ${percent(aim)} ${value >= aim ? 'met' : 'MISSED'}`

export const answersTable = (answers: readonly Answer[]): string =>
  table(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'raw list/s', 'of raw list', 'of constant', 'aim'],
    answers.map(({ name, rate, p50, p99, rawRate, ofRaw, ofConstant, aim }) => [
      name,
      count(rate),
      ms(p50),
      ms(p99),
      count(rawRate),
      percent(ofRaw),
      percent(ofConstant),
      verdict(ofRaw, aim),
    ]),
  )
