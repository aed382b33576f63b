import { z } from 'zod'
import type { InstalledSoftware } from '../../shared/device/inventory.ts'
import { fact } from './text.ts'

const text = z.string().optional().catch(undefined)
const application = z.object({
  _name: z.string().min(1),
  version: text,
  lastModified: text,
  obtained_from: text,
  path: text,
  signed_by: z.array(z.string()).optional().catch(undefined),
})
const report = z.object({ SPApplicationsDataType: z.array(z.unknown()) })

/** The answer of `system_profiler SPApplicationsDataType -json`. */
export function parseMacApplications(output: string): InstalledSoftware[] {
  return report.parse(JSON.parse(output)).SPApplicationsDataType.flatMap((entry) => {
    const { data } = application.safeParse(entry)
    if (!data) return []
    return {
      name: data._name.slice(0, 500),
      version: fact(data.version),
      vendor: vendorOf(data.signed_by?.[0], data.obtained_from),
      installDate: data.lastModified?.slice(0, 10) ?? null,
      installLocation: fact(data.path, 1000),
      uninstallString: null,
    }
  })
}

/** `Developer ID Application: Mozilla Corporation (43AQ936H96)` names the maker; Apple signs its own otherwise. */
function vendorOf(signer: string | undefined, source: string | undefined): string | null {
  const maker = /^Developer ID Application: (.+?)(?: \([A-Z0-9]+\))?$/.exec(signer ?? '')?.[1]
  return fact(maker) ?? (source === 'apple' || signer === 'Software Signing' ? 'Apple' : null)
}
