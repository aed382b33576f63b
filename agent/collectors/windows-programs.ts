import { z } from 'zod'
import type { InstalledSoftware } from '../../shared/device/inventory.ts'
import { runPowershell } from '../tool.ts'
import { fact } from './text.ts'

const uninstallKeys = [
  'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\*',
  'HKLM:\\SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\*',
]

/** What "Apps & features" lists for the whole machine, 64 and 32 bit: no updates, no hidden parts of other programs. */
export const readUninstallKeys = (): Promise<string> =>
  runPowershell(`Get-ItemProperty ${uninstallKeys.map((key) => `'${key}'`).join(',')} -ErrorAction SilentlyContinue |
    Where-Object { $_.DisplayName -and $_.SystemComponent -ne 1 -and -not $_.ParentKeyName } |
    Select-Object DisplayName, DisplayVersion, Publisher, InstallDate, InstallLocation, UninstallString |
    ConvertTo-Json -Compress`)

const text = z.coerce.string().nullish().catch(null)
const program = z.object({
  DisplayName: z.string().trim().min(1),
  DisplayVersion: text,
  Publisher: text,
  InstallDate: text,
  InstallLocation: text,
  UninstallString: text,
})

/** PowerShell prints nothing for no row and a bare object for a single one. */
export function parseUninstallKeys(output: string): InstalledSoftware[] {
  const parsed: unknown = output.trim() === '' ? [] : JSON.parse(output)
  return [parsed].flat().flatMap((entry) => {
    const { data } = program.safeParse(entry)
    if (!data) return []
    return {
      name: data.DisplayName.slice(0, 500),
      version: fact(data.DisplayVersion),
      vendor: fact(data.Publisher),
      installDate: data.InstallDate?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') || null,
      installLocation: fact(data.InstallLocation, 1000),
      uninstallString: fact(data.UninstallString, 2000),
    }
  })
}
