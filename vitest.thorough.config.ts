import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

/** Every test at full length, and those that take long or measure time: `npm run test:thorough`. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [...(usual.test?.include ?? []), 'test/thorough/**/*.thorough.ts'],
    env: { ...usual.test?.env, HOMEPORT_THOROUGH_TESTS: '1' },
    testTimeout: 60 * 60_000,
    hookTimeout: 600_000,
  },
})
