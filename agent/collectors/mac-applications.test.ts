import { expect, test } from 'vitest'
import { parseMacApplications } from './mac-applications.ts'

const output = JSON.stringify({
  SPApplicationsDataType: [
    {
      _name: 'Firefox',
      arch_kind: 'arch_arm_i64',
      lastModified: '2025-02-18T09:12:44Z',
      obtained_from: 'identified_developer',
      path: '/Applications/Firefox.app',
      signed_by: [
        'Developer ID Application: Mozilla Corporation (43AQ936H96)',
        'Developer ID Certification Authority',
        'Apple Root CA',
      ],
      version: '135.0.1',
    },
    {
      _name: 'Mail',
      lastModified: '2025-01-27T00:00:00Z',
      obtained_from: 'apple',
      path: '/System/Applications/Mail.app',
      signed_by: ['Software Signing', 'Apple Code Signing Certification Authority', 'Apple Root CA'],
      version: '16.0',
    },
    { _name: 'Old Tool', obtained_from: 'unknown', path: '/Applications/Old Tool.app', version: 7 },
    { path: '/nameless.app' },
  ],
})

test('system_profiler: the vendor comes from the signature, and odd entries are left out', () => {
  expect(parseMacApplications(output)).toEqual([
    {
      name: 'Firefox',
      version: '135.0.1',
      vendor: 'Mozilla Corporation',
      installDate: '2025-02-18',
      installLocation: '/Applications/Firefox.app',
      uninstallString: null,
    },
    {
      name: 'Mail',
      version: '16.0',
      vendor: 'Apple',
      installDate: '2025-01-27',
      installLocation: '/System/Applications/Mail.app',
      uninstallString: null,
    },
    {
      name: 'Old Tool',
      version: null,
      vendor: null,
      installDate: null,
      installLocation: '/Applications/Old Tool.app',
      uninstallString: null,
    },
  ])
})
