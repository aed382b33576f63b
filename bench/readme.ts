import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { machine } from './report.ts'

const file = join(import.meta.dirname, 'README.md')

/** Replaces the tables of the sections that ran; each stands between two comments that name it. */
export function writeReadme(tables: ReadonlyMap<string, string>): void {
  let text = readFileSync(file, 'utf8')
  for (const [name, table] of [['machine', machine()] as const, ...tables])
    text = text.replace(
      new RegExp(`(<!-- ${name} -->)[^]*?(<!-- /${name} -->)`),
      (_, before: string, after: string) => `${before}\n\n${table}\n\n${after}`,
    )
  writeFileSync(file, text)
}
