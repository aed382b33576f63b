import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { quickRestic } from './test/helpers/quick-restic.ts'

export default defineConfig({
  test: {
    include: ['{agent,bench,installer,main,renderer,server,shared,test}/**/*.test.{ts,tsx}'],
    // They take long: `npm run test:thorough` runs them, and each test that is `atLength`.
    exclude: [...configDefaults.exclude, '**/*.thorough.test.ts'],
    setupFiles: ['test/helpers/cheap-hashes.ts'],
    // Real servers, processes and browsers on two cores: generous, and never a measure of speed.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    env: {
      // Of the hundred servers and agents that tests start, only the first compiles the code.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled-for-tests'),
      ...(quickRestic && { RESTIC_PATH: quickRestic }),
    },
    // Node loads the modules itself, as it does on an appliance: no code is transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // More than there are cores, because a test often waits for a process or a timer.
    maxWorkers: 4,
    // The server and its libraries are loaded once, not once for each file; no file may leave anything behind.
    isolate: false,
  },
})
