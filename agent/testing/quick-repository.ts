import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Opens it. */
export const quickPassword = 'a secret of the server'

/**
 * An empty repository whose key takes no time to derive from the password: with one that restic makes, each of its
 * commands takes half a second of CPU. Made by restic's own code, with `repository.Params` set to N=2, r=1, p=1.
 */
export function makeQuickRepository(folder: string): void {
  for (const name of ['data', 'index', 'keys', 'locks', 'snapshots']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'config'), Buffer.from(config.join(''), 'base64'))
  writeFileSync(join(folder, 'keys', keyName), Buffer.from(key.join(''), 'base64'))
}

const keyName = 'b5beb3c2ed62cdd9e4d2762a7debbfe5ab2789c9114e267149d985069e585a64'
const config = [
  'eWZ8w/VAKIsWUEqg0eN8YozlzoERKMZo81gtP/N8fPzJkjM+FJtlUlivZg6ZiYbJ3ybXMt91HX8rjTdE+j48Wak3645GI9HWFSXVQInC4R9uBK',
  'aQ65HWx8S1sm36oWseLr/FivMq/JbcT8G2np6LMgHIJH9VX3upVtFeE0En/xiFgV40ySkxHWrwTZjLJGawITSCP7O5f0Pbpic=',
]
const key = [
  'eyJjcmVhdGVkIjoiMjAyNi0xMS0yNFQwNTowMjo1Ni4zNTI0NjQxNFoiLCJ1c2VybmFtZSI6InJvb3QiLCJob3N0bmFtZSI6InZtIiwia2RmIj',
  'oic2NyeXB0IiwiTiI6MiwiciI6MSwicCI6MSwic2FsdCI6Im9hYlZQYkNvVHpFVkZ6dFpMY2Y3Z1FXSjFIRThaaHdiZ29Wenh3T3JXSkFjaUVZ',
  'ZEl2UnJGRmpYMGhrVGVWdDhGYnlnUjVIZ0FjZEFDMlBlZWtiYm9RPT0iLCJkYXRhIjoiTEI2T3h5VUJKYncxekdTbjZtNWV3UjJicWduZlkwV3',
  'R0c0ZhaFREd0hNMndFVURnSnVPMGVHcHNVSUlhK3dZZ21tNXdjaU5ON0pMbDI2c09CU1d3dXJUWjBncWM2d1oxN2U4Qm1NZ1VOcHZqOGpzWTRV',
  'YWpaa0NBZ3ROYTdzc0ZBZzZIRUFxNFBFaksxUWk4b2JDMFJDTGxmVmh3bVA1UHZJd21uVCszQ3VyNXluQ0RoekFobnAwV3JuYnlHQXFGZk94NG',
  '05KzRCMHRvK0NlbitMNmtadz09In0=',
]
