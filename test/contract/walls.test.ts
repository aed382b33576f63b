import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

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

const folderOf = (file: string) => file.slice(0, file.indexOf('/'))
const isBase = (file: string) => /^server\/(platform|db|config)\//.test(file)
const isTool = (folder: string) => ['test', 'bench', 'installer'].includes(folder)

/** examples.md, "Who may import whom": what breaks a wall, and the wall. */
const walls: { wall: string; isBroken: (from: string, to: string) => boolean }[] = [
  {
    wall: 'nobody imports test or bench',
    isBroken: (from, to) => /^(test|bench)\//.test(to) && !isTool(folderOf(from)),
  },
  {
    wall: 'shared imports zod and itself only',
    isBroken: (from, to) => folderOf(from) === 'shared' && to !== 'zod' && !to.startsWith('shared/'),
  },
  { wall: 'only the shell knows Electron', isBroken: (from, to) => to === 'electron' && folderOf(from) !== 'main' },
  {
    wall: 'a folder imports only itself and shared',
    isBroken: (from, to) =>
      isOurs(to) && !isTool(folderOf(from)) && folderOf(to) !== 'shared' && folderOf(to) !== folderOf(from),
  },
  {
    wall: 'platform, db and config know nothing above them',
    isBroken: (from, to) => isBase(from) && to.startsWith('server/') && !isBase(to),
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
    isBroken: (from, to) => feature(from) !== undefined && to.startsWith('server/') && !feature(to) && !isBase(to),
  },
  {
    wall: 'the console runs in a browser',
    isBroken: (from, to) => folderOf(from) === 'renderer' && to.startsWith('node:'),
  },
]
const brokenWall = ({ from, to }: Import) => walls.find(({ isBroken }) => isBroken(from, to))?.wall

const files = (await sourceFiles()).filter((file) => !isTest(file))
const imports = files.flatMap((file) => importsIn(file, readFileSync(join(root, file), 'utf8')))

test('no import breaks a wall between folders', () => {
  expect(imports.length).toBeGreaterThan(500)
  const broken = imports.flatMap((one) => {
    const wall = brokenWall(one)
    return wall ? [`${one.from} imports ${one.to}: ${wall}`] : []
  })
  expect(broken).toEqual([])
})

test('the walls stand: each kind of breach is found', () => {
  const breach = (from: string, text: string) => importsIn(from, text).map(brokenWall).find(Boolean)
  expect(breach('shared/a.ts', `import 'node:fs'`)).toContain('zod')
  expect(breach('server/platform/a.ts', `import { x } from '../features/devices/index.ts'`)).toContain('nothing above')
  expect(breach('server/db/a.ts', `export * from '../app.ts'`)).toContain('nothing above')
  expect(breach('server/features/a/a.ts', `import type { X } from '../b/store.ts'`)).toContain('index.ts')
  expect(breach('server/features/a/a.ts', `type X = import('../b/store.ts').X`)).toContain('index.ts')
  expect(breach('server/features/a/a.ts', `await import('../../app.ts')`)).toContain('nothing above')
  expect(breach('server/features/a/a.ts', `import 'electron'`)).toContain('Electron')
  expect(breach('renderer/a.tsx', `import { x } from '../server/app.ts'`)).toContain('only itself')
  expect(breach('renderer/a.tsx', `import fs from 'node:fs'`)).toContain('browser')
  expect(breach('agent/a.ts', `export { x } from '../renderer/a.ts'`)).toContain('only itself')
  expect(breach('main/a.ts', `import { x } from '../server/index.ts'`)).toContain('only itself')
  expect(breach('server/a.ts', `import { x } from '../test/helpers/factories.ts'`)).toContain('nobody')
  expect(breach('server/features/a/a.ts', `import { x } from '../b/index.ts'\nimport { y } from './c.ts'`)).toBe(
    undefined,
  )
})

test('every import of ours names a file that exists', () => {
  const known = new Set(files)
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

test('no feature knows itself by way of others, types included', () => {
  const arrows = imports.map(({ from, to }) => [feature(from) ?? '', feature(to) ?? ''] as const)
  expect(circlesIn(graphOf(arrows.filter(([from, to]) => from && to && from !== to)))).toEqual([])
})

test('a table is written by one feature only', () => {
  const writers = new Map<string, Set<string>>()
  for (const file of files) {
    const own = feature(file)
    if (!own) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, table = ''] of text.matchAll(/\b(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)'/g))
      writers.set(table, (writers.get(table) ?? new Set()).add(own))
  }
  const shared = [...writers]
    .filter(([, features]) => features.size > 1)
    .map(([table, features]) => [table, [...features].sort()])
  // Each of these is one transaction that a handed-over service would only rename; a new one is a decision.
  expect(Object.fromEntries(shared)).toEqual({
    devices: ['devices', 'enrollment-keys', 'inventory'],
    organizations: ['audit-log', 'lifecycle', 'organization-merge', 'organizations', 'partners'],
    partners: ['lifecycle', 'partners'],
  })
})

/** Such as `features/sso/links`, or `features/sso` for a file in the feature itself. Its index.ts stands above both. */
const featureFolder = (file: string) =>
  /^server\/features\/[^/]+\/index\.ts$/.test(file)
    ? file
    : /^server\/(features\/[^/]+(?:\/[^/]+(?=\/))?)\//.exec(file)?.[1]

test('no folder within a feature knows itself by way of others, types included', () => {
  const within = imports.filter(({ from, to }) => feature(from) !== undefined && feature(from) === feature(to))
  const arrows = within.map(({ from, to }) => [featureFolder(from) ?? '', featureFolder(to) ?? ''] as const)
  expect(new Set(arrows.flat()).size).toBeGreaterThan(30)
  expect(circlesIn(graphOf(arrows.filter(([from, to]) => from !== to)))).toEqual([
    // Left to do: contacts/routes.ts names the import, whose routes belong beside it.
    'features/contacts/import > features/contacts > features/contacts/import',
  ])
})
