import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{agent,bench,installer,main,renderer,server,shared,test}/**/*.test.{ts,tsx}'],
    setupFiles: ['test/helpers/cheap-hashes.ts'],
    // Real servers, processes and browsers on two cores: generous, and never a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // The server and its libraries are loaded once, not once for each file; no file may leave anything behind.
    isolate: false,
  },
})
