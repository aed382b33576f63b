import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

/** What takes long, or measures time: after the usual tests in `npm run test:thorough`. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ['test/thorough/**/*.thorough.ts'],
    testTimeout: 60 * 60_000,
    hookTimeout: 600_000,
  },
})
