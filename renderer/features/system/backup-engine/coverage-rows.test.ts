import { expect, test } from 'vitest'
import type { ProgramView } from '../../../../shared/api/components.ts'
import { coverageRows } from './coverage-rows.ts'

const program = (platform: string, version: string, isOffered = true): ProgramView => ({
  platform,
  version,
  isOffered,
  isInstalled: false,
  bytes: 1,
  sha256: '',
  source: 'upload',
  signedBy: null,
  addedAt: '2027-01-01T00:00:00.000Z',
})

test('lists each platform that has a program or devices, those with most devices first', () => {
  const rows = coverageRows({
    programs: [
      program('linux-amd64', '0.18.0'),
      program('macos-arm64', '0.18.0'),
      program('linux-amd64', '0.17.3', false),
    ],
    devices: [
      { platform: 'linux-arm64', devices: 1, lacking: 1 },
      { platform: 'linux-amd64', devices: 7, lacking: 2 },
    ],
  })
  expect(rows.map(({ platform, program, devices }) => [platform, program?.version, devices?.all])).toEqual([
    ['linux-amd64', '0.18.0', 7],
    ['linux-amd64', '0.17.3', undefined],
    ['linux-arm64', undefined, 1],
    ['macos-arm64', '0.18.0', 0],
  ])
})
