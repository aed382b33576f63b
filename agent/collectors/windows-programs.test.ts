import { expect, test } from 'vitest'
import { parseUninstallKeys } from './windows-programs.ts'

const sevenZip =
  '{"DisplayName":"7-Zip 24.09 (x64)","DisplayVersion":"24.09","Publisher":"Igor Pavlov","InstallDate":null,' +
  '"InstallLocation":"C:\\\\Program Files\\\\7-Zip\\\\","UninstallString":"\\"C:\\\\Program Files\\\\7-Zip\\\\Uninstall.exe\\""}'
const office =
  '{"DisplayName":"Größenrechner ","DisplayVersion":16.0,"Publisher":"","InstallDate":"20240905","InstallLocation":"","UninstallString":"MsiExec.exe /X{90160000-008C-0000-1000-0000000FF1CE}"}'

test('registry rows become software', () => {
  expect(parseUninstallKeys(`[${sevenZip},${office},{"DisplayName":null}]`)).toEqual([
    {
      name: '7-Zip 24.09 (x64)',
      version: '24.09',
      vendor: 'Igor Pavlov',
      installDate: null,
      installLocation: 'C:\\Program Files\\7-Zip\\',
      uninstallString: '"C:\\Program Files\\7-Zip\\Uninstall.exe"',
    },
    {
      name: 'Größenrechner',
      version: '16',
      vendor: null,
      installDate: '2024-09-05',
      installLocation: null,
      uninstallString: 'MsiExec.exe /X{90160000-008C-0000-1000-0000000FF1CE}',
    },
  ])
})

test('PowerShell prints a single row without brackets, and none as nothing', () => {
  expect(parseUninstallKeys(sevenZip)).toHaveLength(1)
  expect(parseUninstallKeys('\r\n')).toEqual([])
})
