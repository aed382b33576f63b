import { configDefaults, defineConfig } from 'vitest/config'
import { hasPeer, peerFile } from './test/helpers/peers.ts'
import usual from './vitest.config.ts'

/** With restic as it is. */
const { RESTIC_PATH: _, ...usualEnv } = usual.test?.env ?? {}
const env = { ...usualEnv, HOMEPORT_THOROUGH_TESTS: '1' }
const thorough = { ...usual.test, env, exclude: configDefaults.exclude, testTimeout: 60 * 60_000, hookTimeout: 600_000 }

/** The tests that run restic, with a newer one than the oldest that is supported. */
const withNewerRestic = {
  ...thorough,
  name: 'newer restic',
  include: [
    'agent/restic/*.test.ts',
    'shared/node/restic*.test.ts',
    'test/faults/*.test.ts',
    'test/flows/{backup-{agent,files,maintenance,storage-tests,store,verification-agent,verification-restic},repository-locks,snapshot-index-restic}.test.ts',
    'test/thorough/backup-*.thorough.ts',
  ],
  env: { ...env, RESTIC_PATH: peerFile('newer restic') },
}

/** Every test at full length, and those that take long or measure time: `npm run test:thorough`. */
export default defineConfig({
  test: {
    maxWorkers: usual.test?.maxWorkers,
    projects: [
      {
        ...usual,
        test: {
          ...thorough,
          name: 'thorough',
          include: [...(usual.test?.include ?? []), 'test/thorough/**/*.thorough.ts'],
        },
      },
      ...(hasPeer('newer restic') ? [{ ...usual, test: withNewerRestic }] : []),
    ],
  },
})
