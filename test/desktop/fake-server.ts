import { join } from 'node:path'
import { connectParent } from '../../server/parent-process.ts'

/** A child process with the server's manners, or without them: `fake-server.ts <manner>`. */

const manner = process.argv[2]
const isDeaf = manner === 'deaf' || manner === 'hangs'
// Keeps the process alive, as a listening socket would.
setInterval(() => {}, 1_000)
if (isDeaf) process.on('SIGTERM', () => {})

const parent = connectParent({
  onStop: () => {
    if (!isDeaf) process.exit(0)
  },
  onExamineTrust: async ({ id, draft }) => {
    if (isDeaf) return
    const { examineTrust } = await import('../../server/features/sso/outbound/index.ts')
    const dataDir = process.env.HOMEPORT_DATA_DIR ?? ''
    const sso = { trustFile: join(dataDir, 'sso-trust.json'), isTrustFileNamed: false, trustJson: undefined }
    const trust = examineTrust({ port: 8443, dataDir, sso }, Date.now(), draft)
    parent.tell({ type: 'trust-examined', id, trust })
  },
})
const tellReady = (port: number) =>
  parent.tell({
    type: 'ready',
    loopbackOrigin: `https://localhost:${port}`,
    addresses: [`https://192.168.1.20:${port}`],
    trustAnchors: null,
    browserOrigin: `https://box.local:${port}`,
  })

if (manner === 'crashes') {
  process.stderr.write('Error: the disk is full\n', () => process.exit(3))
} else if (manner === 'crashes-after-ready') {
  tellReady(8443)
  setTimeout(() => process.exit(4), 20)
} else if (manner === 'moves') {
  tellReady(8443)
  tellReady(9443)
} else if (manner !== 'hangs') {
  tellReady(8443)
}
