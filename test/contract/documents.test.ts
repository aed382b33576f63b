import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { defaultLimits } from '../../server/limits.ts'
import { tableNames } from '../../server/tables.ts'
import { ssoErrorCodes } from '../../shared/sso-codes.ts'
import { testApp } from '../helpers/test-app.ts'

/** README and docs say what the code does: links lead somewhere, and what is listed is complete. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = globSync('{README.md,docs/**/*.md,{agent,bench,installer,main}/README.md}', { cwd: root }).map(
  (file) => file.replaceAll('\\', '/'),
)
const withoutCode = (markdown: string) => markdown.replace(/^```[\s\S]*?^```/gm, '')

/** As GitHub makes them from headings. */
const anchorsOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

interface Link {
  from: string
  /** Relative to `from`, with or without a `#` part. */
  to: string
}

function isBroken({ from, to }: Link): boolean {
  const [path = '', anchor] = to.split('#')
  const target = path === '' ? from : relative(root, resolve(root, dirname(from), decodeURI(path)))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
}

const linksOf = (from: string): Link[] =>
  [...withoutCode(read(from)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => ({ from, to }))
    .filter(({ to }) => !/^https?:/.test(to))

test('every link between documents leads to a file and a heading that exist', () => {
  const links = documents.flatMap(linksOf)
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(isBroken)).toEqual([])
})

test('broken links are found', () => {
  const from = 'docs/operations.md'
  expect(['settings.md', '#logs', '../README.md#two-commands'].map((to) => isBroken({ from, to }))).toEqual([
    false,
    false,
    false,
  ])
  expect(['nowhere.md', '#nowhere', 'settings.md#nowhere'].map((to) => isBroken({ from, to }))).toEqual([
    true,
    true,
    true,
  ])
})

test('every page of docs is reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached)
    for (const { to } of linksOf(page)) {
      const target = relative(root, resolve(root, dirname(page), to.split('#')[0] || relative(dirname(page), page)))
      if (documents.includes(target)) reached.add(target)
    }
  expect(documents.filter((document) => !reached.has(document))).toEqual([])
})

test('the README is a first page, and no document names what is not in the repository', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200)
  for (const document of documents) expect(read(document), document).not.toMatch(/\breference\/|\bspec\.md\b|\btrap \d/)
})

/** Names in capitals that the sources read from an environment. */
function variablesRead(): Set<string> {
  const sources = globSync('{agent,bench,installer,main,renderer,server,shared,test}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  const found = sources.flatMap((source) => {
    const text = read(source)
    const direct = [...text.matchAll(/\b(?:process\.env|env|environment)\.([A-Za-z]\w+)/g)]
    const named = /^server\/config\/(?!.*\.test\.)/.test(source)
      ? [...text.matchAll(/(?:'|^ {2})([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:'|: )/gm)]
      : []
    return [...direct, ...named].map(([, name = '']) => name)
  })
  // Passed from one process of a test or a measurement to the other.
  const internal = ['PATH', 'HOLD_FILE', 'VITEST_POOL_ID']
  // What restic itself is told.
  const ofRestic = /^RESTIC_(FROM_)?(REPOSITORY|PASSWORD)/
  const isVariable = (name: string) => /^[A-Z]/.test(name) && !internal.includes(name) && !ofRestic.test(name)
  const limits = Object.keys(defaultLimits).map((name) => `HOMEPORT_LIMIT_${name.toUpperCase()}`)
  return new Set([...found.filter(isVariable), ...limits])
}

/** The cells of every row of a table, by the names in its first cell. */
const rowsOf = (markdown: string): { names: string[]; cells: string[] }[] =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => ({ names: [...(cells[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name), cells }))

test('settings.md lists every variable that is read, and no other', () => {
  const listed = rowsOf(read('docs/settings.md')).flatMap(({ names }) => names)
  const known = variablesRead()
  expect(known.size).toBeGreaterThan(120)
  // Read by Node.js itself, for the server and for the agent.
  expect(listed.filter((name) => !known.has(name) && name !== 'NODE_EXTRA_CA_CERTS')).toEqual([])
  // `XDG_DATA_HOME` and `APPDATA` are part of a default.
  const ofDefaults = ['XDG_DATA_HOME', 'APPDATA']
  expect([...known].filter((name) => !listed.includes(name) && !ofDefaults.includes(name))).toEqual([])
})

test('settings.md says of every rate limit what it is and whether it is kept', () => {
  const said = rowsOf(read('docs/settings.md'))
    .filter(({ names }) => names[0]?.startsWith('HOMEPORT_LIMIT_'))
    .map(({ names, cells }) => [names[0], cells[1]?.trim(), cells[2]?.trim() === 'yes'])
  const limits = Object.entries(defaultLimits).map(([name, limit]) => [
    `HOMEPORT_LIMIT_${name.toUpperCase()}`,
    `\`${limit.max}/${limit.windowSeconds}\``,
    'isDurable' in limit,
  ])
  expect(said.toSorted()).toEqual(limits.toSorted())
})

test('operations.md lists every background job and every metric', async () => {
  await using app = await testApp()
  const text = read('docs/operations.md')
  const jobs = app.app.jobs.list().map(({ name }) => name)
  const { body } = await app.inject({ url: '/api/v1/metrics', headers: { host: 'localhost' } })
  const metrics = [...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  expect(metrics.length).toBeGreaterThan(5)
  expect([...jobs, ...metrics].filter((name) => !text.includes(`\`${name}`))).toEqual([])
})

test('single-sign-on.md explains every code a sign-in can end with', () => {
  const text = read('docs/single-sign-on.md')
  expect(ssoErrorCodes.filter((code) => !text.includes(`\`${code}\``))).toEqual([])
})

test('the glossary names no table that does not exist', () => {
  const tables: readonly string[] = tableNames
  const named = [...read('docs/glossary.md').matchAll(/tables? ((?:`\w+`(?:, )?)+)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !tables.includes(name))).toEqual([])
})

test('no code cites a document that is not in the repository, nor a numbered list of one', () => {
  const files = globSync('{agent,bench,installer,main,renderer,server,shared,test}/**/*.{ts,tsx,css,sql}', {
    cwd: root,
  })
  const own = files.filter((file) => !file.includes('node_modules') && !file.endsWith('documents.test.ts'))
  expect(own.length).toBeGreaterThan(1000)
  const citing = own.filter((file) =>
    /reference\/[a-z-]+\.md|\b(agent-protocol|auth-and-users|tenancy|sso|spec|design|examples)(\.md)? §|\btraps? \d/i.test(
      read(file),
    ),
  )
  expect(citing).toEqual([])
})
