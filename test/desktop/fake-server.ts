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
})
const tellReady = (port: number) =>
  parent.tell({
    type: 'ready',
    loopbackOrigin: `https://localhost:${port}`,
    addresses: [`https://192.168.1.20:${port}`],
    trustAnchors: null,
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
