import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{agent,bench,installer,main,renderer,server,shared,test}/**/*.test.{ts,tsx}'],
    // Real servers, processes and browsers on two cores: generous, and never a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
