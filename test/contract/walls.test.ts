import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { rulesOf, tableNames } from '../../server/tables.ts'
import { freshDatabase } from '../helpers/test-app.ts'

const root = join(import.meta.dirname, '../..')

interface Import {
  from: string
  /** A file of ours, from the root; or the name as it stands. */
  to: string
}

const sourceFiles = async (): Promise<string[]> => {
  const found: string[] = []
  const folders = '{agent,bench,installer,main,renderer,server,shared,test}/**/*.{ts,tsx}'
  for await (const file of glob(folders, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }))
    if (!file.endsWith('.d.ts')) found.push(file.replaceAll('\\', '/'))
  return found.sort()
}

/** Every import and re-export of a module, found by a parser and not by its looks. */
function importsIn(file: string, text: string): Import[] {
  const { module, program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
    ),
    ...typeImportsIn(program),
  ]
  return names.map((name) => ({
    from: file,
    to: name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)).replaceAll('\\', '/') : name,
  }))
}

/** `import('./x.ts').T` in a type. */
function typeImportsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, source } = node as { type?: string; source?: { value?: string } }
  const own = type === 'TSImportType' && source?.value ? [source.value] : []
  return [...own, ...Object.values(node).flatMap(typeImportsIn)]
}

const isOurs = (to: string) => /^(agent|bench|installer|main|renderer|server|shared|test)\//.test(to)
const isTest = (file: string) =>
  /\.test\.tsx?$|^test\/|\/test-kit\.ts$|^agent\/testing\/|^renderer\/testing\//.test(file)
const feature = (file: string) => /^server\/features\/([^/]+)\//.exec(file)?.[1]

/** What server, agent and shell share, and no browser can run. */
const isForNode = (file: string) => file.startsWith('shared/node/')
/** Server and console judge a password with the same estimator and its dictionaries. */
const isEstimator = (from: string, to: string) => from === 'shared/assess-password.ts' && to.startsWith('@zxcvbn-ts/')
const folderOf = (file: string) => file.slice(0, file.indexOf('/'))
const isBase = (file: string) => /^server\/(platform|db|config|lib)\//.test(file)
const serverLayer = (file: string) => /^server\/([a-z]+)\//.exec(file)?.[1] ?? ''
/** What each layer below the features may import. */
const serverLayers: Record<string, readonly string[]> = {
  lib: ['lib'],
  config: ['lib', 'config'],
  db: ['lib', 'db'],
  platform: ['lib', 'config', 'db', 'platform'],
}
const consoleFeature = (file: string) => /^renderer\/features\/([^/]+)\//.exec(file)?.[1]
const consoleDomain = (file: string) => /^renderer\/domain\/([^/]+)\//.exec(file)?.[1]
const consoleLayer = (file: string) => /^renderer\/([^/]+)\//.exec(file)?.[1] ?? ''
/** What each layer of the console may import; whatever else lies in `renderer` puts the layers together. */
const consoleLayers: Record<string, readonly string[]> = {
  lib: ['lib'],
  data: ['lib', 'data'],
  ui: ['lib', 'ui'],
  domain: ['lib', 'ui', 'data', 'domain'],
  features: ['lib', 'ui', 'data', 'domain', 'features'],
}
const loadsData = (file: string) => /^renderer\/lib\/(api|session|query-client)\.ts$/.test(file)
const isTool = (folder: string) => ['test', 'bench', 'installer'].includes(folder)

/** What features say of themselves, collected. */
const isList = (file: string) => file === 'server/tables.ts' || file === 'server/limits.ts'
/** What a feature says of its tables; types and plain data. */
const isLimits = (file: string) => /^server\/(features|platform)\/.*\/limits\.ts$/.test(file)
const isTables = (file: string) => /^server\/(features\/[^/]+|platform)\/([a-z]+-)?tables\.ts$/.test(file)

/** Who may import whom: what breaks a wall, and the wall. */
const walls: { wall: string; isBroken: (from: string, to: string) => boolean }[] = [
  {
    wall: 'nobody imports test or bench',
    isBroken: (from, to) => /^(test|bench)\//.test(to) && !isTool(folderOf(from)),
  },
  {
    wall: 'shared imports zod and itself only, and the estimator of passwords its packages',
    isBroken: (from, to) =>
      folderOf(from) === 'shared' &&
      !isForNode(from) &&
      to !== 'zod' &&
      !isEstimator(from, to) &&
      (!to.startsWith('shared/') || isForNode(to)),
  },
  {
    wall: 'shared/node imports Node and itself only',
    isBroken: (from, to) => isForNode(from) && !to.startsWith('node:') && !isForNode(to),
  },
  { wall: 'only the shell knows Electron', isBroken: (from, to) => to === 'electron' && folderOf(from) !== 'main' },
  {
    wall: 'a folder imports only itself and shared',
    isBroken: (from, to) =>
      isOurs(to) && !isTool(folderOf(from)) && folderOf(to) !== 'shared' && folderOf(to) !== folderOf(from),
  },
  {
    wall: 'lib, platform, db and config know nothing above them',
    isBroken: (from, to) => isBase(from) && to.startsWith('server/') && !isBase(to) && !isList(to),
  },
  {
    wall: 'lib stands below config and db, and these below platform',
    isBroken: (from, to) => isBase(from) && isBase(to) && !serverLayers[serverLayer(from)]?.includes(serverLayer(to)),
  },
  {
    wall: 'a description of tables or limits knows only what a description is',
    isBroken: (from, to) =>
      (isTables(from) || isLimits(from)) &&
      to.startsWith('server/') &&
      !['server/db/table.ts', 'server/lib/limit.ts', 'server/lib/json.ts'].includes(to),
  },
  {
    wall: 'the lists of tables and limits hold descriptions only',
    isBroken: (from, to) =>
      isList(from) &&
      !isTables(to) &&
      !isLimits(to) &&
      !['server/db/table.ts', 'server/lib/limit.ts', 'server/lib/json.ts'].includes(to),
  },
  {
    wall: 'a feature enters another through its index.ts only',
    isBroken: (from, to) =>
      feature(from) !== undefined &&
      feature(to) !== undefined &&
      feature(from) !== feature(to) &&
      to !== `server/features/${feature(to)}/index.ts`,
  },
  {
    wall: 'a feature knows nothing above it',
    isBroken: (from, to) =>
      feature(from) !== undefined && to.startsWith('server/') && !feature(to) && !isBase(to) && !isList(to),
  },
  {
    wall: 'the console runs in a browser',
    isBroken: (from, to) => folderOf(from) === 'renderer' && (to.startsWith('node:') || isForNode(to)),
  },
  {
    wall: 'a layer of the console imports only those below it',
    isBroken: (from, to) =>
      to.startsWith('renderer/') && consoleLayers[consoleLayer(from)]?.includes(consoleLayer(to)) === false,
  },
  {
    wall: 'a feature of the console imports no other',
    isBroken: (from, to) =>
      consoleFeature(from) !== undefined &&
      consoleFeature(to) !== undefined &&
      consoleFeature(from) !== consoleFeature(to),
  },
  {
    wall: 'building blocks of the console load no data',
    isBroken: (from, to) => from.startsWith('renderer/ui/') && loadsData(to),
  },
]
const brokenWall = ({ from, to }: Import) => walls.find(({ isBroken }) => isBroken(from, to))?.wall

const allFiles = await sourceFiles()
const files = allFiles.filter((file) => !isTest(file))
const imports = files.flatMap((file) => importsIn(file, readFileSync(join(root, file), 'utf8')))

test('no import breaks a wall between folders', () => {
  expect(imports.length).toBeGreaterThan(500)
  const broken = imports.flatMap((one) => {
    const wall = brokenWall(one)
    return wall ? [`${one.from} imports ${one.to}: ${wall}`] : []
  })
  expect(broken).toEqual([])
})

test('each kind of forbidden import is found', () => {
  const breach = (from: string, text: string) => importsIn(from, text).map(brokenWall).find(Boolean)
  expect(breach('shared/a.ts', `import 'node:fs'`)).toContain('zod')
  expect(breach('shared/a.ts', `import '@zxcvbn-ts/core'`)).toContain('zod')
  expect(breach('shared/a.ts', `import { x } from './node/files.ts'`)).toContain('zod')
  expect(breach('shared/node/a.ts', `import { x } from '../fields.ts'`)).toContain('Node')
  expect(breach('renderer/lib/a.ts', `import { x } from '../../shared/node/files.ts'`)).toContain('browser')
  expect(breach('server/platform/a.ts', `import { x } from '../features/devices/index.ts'`)).toContain('nothing above')
  expect(breach('server/db/a.ts', `export * from '../app.ts'`)).toContain('nothing above')
  expect(breach('server/features/a/a.ts', `import type { X } from '../b/store.ts'`)).toContain('index.ts')
  expect(breach('server/features/a/a.ts', `type X = import('../b/store.ts').X`)).toContain('index.ts')
  expect(breach('server/features/a/a.ts', `await import('../../app.ts')`)).toContain('nothing above')
  expect(breach('server/features/a/a.ts', `import 'electron'`)).toContain('Electron')
  expect(breach('renderer/a.tsx', `import { x } from '../server/app.ts'`)).toContain('only itself')
  expect(breach('renderer/a.tsx', `import fs from 'node:fs'`)).toContain('browser')
  expect(breach('renderer/lib/a.ts', `import { x } from '../data/devices.ts'`)).toContain('below')
  expect(breach('renderer/data/a.ts', `import { x } from '../ui/panel.tsx'`)).toContain('below')
  expect(breach('renderer/ui/a.tsx', `import { x } from '../domain/people/a.tsx'`)).toContain('below')
  expect(breach('renderer/domain/a/a.tsx', `await import('../../features/a/b.tsx')`)).toContain('below')
  expect(breach('renderer/features/a/a.tsx', `import type { X } from '../b/b.tsx'`)).toContain('no other')
  expect(breach('renderer/features/a/a.tsx', `import { x } from '../../routes/frame.tsx'`)).toContain('below')
  expect(breach('renderer/ui/a.tsx', `import { api } from '../lib/api.ts'`)).toContain('load no data')
  expect(breach('renderer/routes/pages/a.tsx', `import { x } from '../../features/a/b.tsx'`)).toBe(undefined)
  expect(breach('agent/a.ts', `export { x } from '../renderer/a.ts'`)).toContain('only itself')
  expect(breach('main/a.ts', `import { x } from '../server/index.ts'`)).toContain('only itself')
  expect(breach('server/a.ts', `import { x } from '../test/helpers/factories.ts'`)).toContain('nobody')
  expect(breach('server/features/a/a.ts', `import { x } from '../b/index.ts'\nimport { y } from './c.ts'`)).toBe(
    undefined,
  )
})

test('every import of ours names a file that exists', () => {
  const known = new Set(allFiles)
  const lost = imports.filter(({ to, from }) => isOurs(to) && /\.tsx?$/.test(to) && !known.has(to) && !isTest(from))
  expect(lost.filter(({ to }) => !to.endsWith('.d.ts'))).toEqual([])
})

test('the environment is read in server/config and by the processes that hand it on', () => {
  const readers = files.filter((file) => {
    if (!file.startsWith('server/')) return false
    return /\bprocess\s*\.\s*env\b/.test(readFileSync(join(root, file), 'utf8'))
  })
  const allowed = (file: string) => file.startsWith('server/config/') || /^server\/(admin\/)?index\.ts$/.test(file)
  expect(readers.filter((file) => !allowed(file))).toEqual([])
})

function circlesIn(next: Map<string, Set<string>>): string[] {
  const finished = new Set<string>()
  const circles: string[] = []
  const visit = (one: string, path: string[]) => {
    if (path.includes(one)) circles.push([...path.slice(path.indexOf(one)), one].join(' > '))
    if (finished.has(one) || path.includes(one)) return
    for (const inner of next.get(one) ?? []) visit(inner, [...path, one])
    finished.add(one)
  }
  for (const one of next.keys()) visit(one, [])
  return circles
}

const graphOf = (arrows: readonly (readonly [string, string])[]) =>
  new Map([...Map.groupBy(arrows, ([from]) => from)].map(([from, to]) => [from, new Set(to.map(([, one]) => one))]))

test('no module imports itself by way of others, types included', () => {
  const arrows = imports.filter(({ to }) => isOurs(to)).map(({ from, to }) => [from, to] as const)
  expect(circlesIn(graphOf(arrows))).toEqual([])
})

test('no feature imports itself by way of others, types included', () => {
  const arrows = imports.map(({ from, to }) => [feature(from) ?? '', feature(to) ?? ''] as const)
  expect(circlesIn(graphOf(arrows.filter(([from, to]) => from && to && from !== to)))).toEqual([])
})

test('no folder of the console’s domain imports itself by way of others, types included', () => {
  const arrows = imports.map(({ from, to }) => [consoleDomain(from) ?? '', consoleDomain(to) ?? ''] as const)
  expect(circlesIn(graphOf(arrows.filter(([from, to]) => from && to && from !== to)))).toEqual([])
})

test('the console calls the API in its data layer and in lib only', () => {
  const callers = files.filter((file) => {
    if (!file.startsWith('renderer/')) return false
    return /\bapi\s*\.\s*(call|open|upload)\s*\(/.test(readFileSync(join(root, file), 'utf8'))
  })
  expect(callers.length).toBeGreaterThan(20)
  expect(callers.filter((file) => !/^renderer\/(data|lib)\//.test(file))).toEqual([])
})

/** The tables a text writes to, by a builder of queries or in SQL. */
function writtenIn(text: string): string[] {
  const built = text.matchAll(/\b(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)'/g)
  const raw = text.matchAll(/\b(?:INSERT(?: OR [A-Z]+)? INTO|UPDATE(?: OR [A-Z]+)?|DELETE FROM)\s+([a-z_]+)\b/g)
  return [...built, ...raw].flatMap(([, table]) => table ?? [])
}

const triggers = freshDatabase().statement<string>(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`).pluck().all()

test('a table is written by the features its description names, and by no other', () => {
  const ownerOf = (file: string) => feature(file) ?? (/^server\/(platform|db)\//.test(file) ? 'platform' : null)
  const writers = new Map<string, Set<string>>(tableNames.map((table) => [table, new Set()]))
  for (const file of files) {
    const owner = ownerOf(file)
    if (!owner || file.startsWith('server/db/migrations/')) continue
    for (const table of writtenIn(readFileSync(join(root, file), 'utf8'))) writers.get(table)?.add(owner)
  }
  for (const [table, by] of writers)
    if (triggers.some((sql) => sql.includes(`INTO ${table} `)) && by.size === 0) by.add('triggers')
  const described = Object.fromEntries(tableNames.map((table) => [table, rulesOf(table).writtenBy.toSorted()]))
  expect(Object.fromEntries([...writers].map(([table, by]) => [table, [...by].sort()]))).toEqual(described)
})

test('writes are found in builders of queries and in SQL', () => {
  expect(writtenIn("q.insertInto('sites').values(x)")).toEqual(['sites'])
  expect(writtenIn("q\n  .updateTable(\n    'sites')")).toEqual(['sites'])
  expect(writtenIn('INSERT OR IGNORE INTO sites SELECT 1; UPDATE devices SET a = 1; DELETE FROM roles')).toEqual([
    'sites',
    'devices',
    'roles',
  ])
})

/** The folder within a feature, such as `features/sso/links`; a file that lies in the feature itself stands alone. */
const featureFolder = (file: string) => /^server\/(features\/[^/]+\/[^/]+)\//.exec(file)?.[1] ?? file

test('no folder within a feature imports itself by way of others, types included', () => {
  const within = imports.filter(
    ({ from, to }) => feature(from) !== undefined && feature(from) === feature(to) && !isTables(to) && !isLimits(to),
  )
  const arrows = within.map(({ from, to }) => [featureFolder(from), featureFolder(to)] as const)
  expect(arrows.filter(([from, to]) => from !== to).length).toBeGreaterThan(300)
  expect(circlesIn(graphOf(arrows.filter(([from, to]) => from !== to)))).toEqual([])
})
