import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { BuildOptions, BuildResult } from 'esbuild'

/** What `installer/build.ts` can make. Each target fills one folder of its own under `dist/`. */

export interface Target {
  label: string
  /** Files and folders under the root; when none of them changed, the last output is still right. */
  inputs: readonly string[]
  outDir: string
  build: (root: string, outDir: string) => Promise<unknown>
}

const rules = ['package-lock.json', 'installer/targets.ts']

/** esbuild's ESM output has no `require`, which bundled CommonJS packages call for Node's own modules. */
const requireForCommonJs =
  "import { createRequire as createRequireHere } from 'node:module'\nconst require = createRequireHere(import.meta.url)"

/**
 * Packages that the bundled server loads from `node_modules`, where electron-builder puts all `dependencies`: native ones,
 * and those whose files are used by name, as workers or as the page of the API.
 */
export const packagesBesideServer = ['argon2', 'better-sqlite3', 'sharp', 'pino', 'pino-roll', 'swagger-ui-dist']

/** From one file the server starts in half the time that hundreds take. What is loaded later has files of its own. */
export const serverBundle: BuildOptions = {
  // Workers are files of their own, beside the main one.
  entryPoints: {
    index: 'server/index.ts',
    'backup-worker': 'server/features/appliance-backup/backup-worker.ts',
    'components-worker': 'server/features/components/components-worker.ts',
    'store-worker': 'server/features/backup-store/store-worker.ts',
    'snapshot-index-worker': 'server/features/snapshot-index/snapshot-index-worker.ts',
  },
  format: 'esm',
  target: 'node24',
  splitting: true,
  external: packagesBesideServer,
  banner: { js: requireForCommonJs },
}

export const targets: Record<string, Target> = {
  console: {
    label: 'console',
    inputs: ['renderer', 'shared', ...rules],
    outDir: 'dist/renderer',
    async build(root, outDir) {
      const { build } = await import('vite')
      await build({
        root: join(root, 'renderer'),
        configFile: join(root, 'renderer/vite.config.ts'),
        logLevel: 'warn',
        build: { outDir, emptyOutDir: true },
      })
      await compressAssets(join(outDir, 'assets'))
    },
  },
  agent: {
    label: 'device agent',
    inputs: ['agent', 'shared', ...rules],
    outDir: 'dist/agent',
    build: (root, outDir) =>
      bundle(root, {
        entryPoints: ['agent/index.ts'],
        outfile: join(outDir, 'homeport-agent.mjs'),
        format: 'esm',
        target: 'node22',
        banner: { js: `#!/usr/bin/env node\n${requireForCommonJs}` },
      }),
  },
  server: {
    label: 'server',
    inputs: ['server', 'shared', ...rules],
    outDir: 'dist/server',
    build: (root, outDir) => bundle(root, { ...serverBundle, outdir: outDir }),
  },
  main: {
    label: 'desktop shell',
    inputs: ['main', 'shared', ...rules],
    outDir: 'dist/main',
    async build(root, outDir) {
      const common: BuildOptions = { external: ['electron'], target: 'node24' }
      await bundle(root, {
        ...common,
        entryPoints: ['main/index.ts'],
        outfile: join(outDir, 'index.js'),
        format: 'esm',
      })
      // A sandboxed preload script is loaded as CommonJS, and can require nothing but `electron`.
      await bundle(root, {
        ...common,
        entryPoints: ['main/preload.ts'],
        outfile: join(outDir, 'preload.cjs'),
        format: 'cjs',
      })
    },
  },
}

/** Beside each asset its compressed twin, which the server sends to browsers that take it. */
async function compressAssets(dir: string): Promise<void> {
  const names = (await readdir(dir)).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(dir, name))
      if (content.length > 1024) await writeFile(join(dir, `${name}.br`), await promisify(brotliCompress)(content))
    }),
  )
}

export async function bundle(root: string, options: BuildOptions): Promise<BuildResult> {
  const { build } = await import('esbuild')
  return build({ absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'warning', ...options })
}
