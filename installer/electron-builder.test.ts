import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, matchesGlob } from 'node:path'
import type { Configuration } from 'app-builder-lib'
import { getConfig, validateConfiguration } from 'app-builder-lib/out/util/config/config.js'
import { DebugLogger } from 'builder-util'
import { beforeAll, expect, test } from 'vitest'
import { bundle, packagesBesideServer, serverBundle, targets } from './targets.ts'

const root = join(import.meta.dirname, '..')
const there = (file: string) => existsSync(join(root, file))
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

let config: Configuration
beforeAll(async () => {
  config = await getConfig(root, 'electron-builder.yml', null)
})

test('the configuration satisfies electron-builder’s own schema', async () => {
  await validateConfiguration(config, new DebugLogger(false))
})

test('the schema check refuses an invalid configuration', async () => {
  const wrong = { ...config, electronFuses: { runAsnode: false } } as Configuration
  await expect(validateConfiguration(wrong, new DebugLogger(false))).rejects.toThrow('electronFuses')
})

test('every file it names exists, or is made by a build target', () => {
  for (const icon of [config.win?.icon, config.mac?.icon, config.linux?.icon])
    expect(there(String(icon)), String(icon)).toBe(true)
  const [{ filter }] = config.files as [{ filter: string[] }]
  const built = Object.values(targets).map(({ outDir }) => `${outDir}/**`)
  expect(filter).toEqual(expect.arrayContaining(built))
  for (const pattern of filter.filter((each) => !built.includes(each)))
    expect(globSync(pattern.replace(/^!/, ''), { cwd: root }), pattern).not.toEqual([])
  expect(packageJson.main).toBe(`${targets.main?.outDir}/index.js`)
})

test('icons have the sizes the systems ask for', () => {
  const png = (file: string) => readFileSync(join(root, 'installer/icons', file)).readUInt32BE(16)
  expect([16, 32, 48, 128, 256, 512].map((size) => png(`linux/${size}x${size}.png`))).toEqual([
    16, 32, 48, 128, 256, 512,
  ])
  expect([png('tray.png'), png('tray@2x.png'), png('trayTemplate.png'), png('trayTemplate@2x.png')]).toEqual([
    16, 32, 16, 32,
  ])
  expect(readFileSync(join(root, 'installer/icons/icon.ico')).readUInt16LE(4)).toBe(7)
  expect(readFileSync(join(root, 'installer/icons/icon.icns')).toString('latin1', 0, 4)).toBe('icns')
})

test('the fuses prevent the shell from running as anything else', () => {
  expect(config.electronFuses).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
  })
})

test('nothing is published', () => {
  expect(config.publish).toBeNull()
})

test('the metadata that Debian packages cannot be built without is set', () => {
  expect(config.linux?.maintainer).toMatch(/^.+ <.+@.+>$/)
  expect(config.extraMetadata.homepage).toMatch(/^https:/)
  expect(packageJson.description).toBeTruthy()
})

test('native modules bring a binary for every platform we package', () => {
  const architectures = (target: unknown) => (target as { arch: string[] }[]).flatMap(({ arch }) => arch)
  const packaged = [
    ...architectures(config.win?.target).map((arch) => `win32-${arch}`),
    ...architectures(config.mac?.target).map((arch) => `darwin-${arch}`),
    ...architectures(config.linux?.target).map((arch) => `linux-${arch}`),
  ]
  for (const name of packaged) {
    expect(there(`node_modules/better-sqlite3/prebuilds/${name}.node`), `better-sqlite3 ${name}`).toBe(true)
    expect(there(`node_modules/argon2/prebuilds/${name}`), `argon2 ${name}`).toBe(true)
    // Of sharp, npm installs only the package for the system it runs on.
    expect(lock.packages, `sharp ${name}`).toHaveProperty([`node_modules/@img/sharp-${name}`])
  }
})

test('libraries lie outside of the archive, where the operating system finds them', () => {
  const unpacked = config.asarUnpack as string[]
  const shipped = globSync('node_modules/{@img,argon2,better-sqlite3}/**/*.{node,so,so.*,dylib,dll}', { cwd: root })
  expect(shipped.length).toBeGreaterThan(2)
  for (const file of shipped)
    expect(
      unpacked.some((pattern) => matchesGlob(file, pattern)),
      file,
    ).toBe(true)
})

test('every package the bundled server asks for is shipped', async () => {
  const { metafile } = await bundle(root, { ...serverBundle, outdir: 'dist/server', write: false, metafile: true })
  const imports = Object.values(metafile?.outputs ?? {}).flatMap((output) => output.imports)
  const asked = imports.filter(({ external, path }) => external && !isBuiltin(path)).map(({ path }) => path)
  expect(asked).toContain('better-sqlite3')
  // Optional dependencies of ws.
  const optional = ['bufferutil', 'utf-8-validate']
  for (const name of [...asked, ...packagesBesideServer])
    if (!optional.includes(name)) expect(Object.keys(packageJson.dependencies), name).toContain(name)
})
