import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, token, body } = workerData as { url: string; token: string; body: string }
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const everyMs = 5
const mostAtOnce = 100
const agent = new Agent({ keepAlive: true, maxSockets: mostAtOnce })

const underWay = new Set<number>()
let waits: number[] = []

function beat(): void {
  const sent = performance.now()
  underWay.add(sent)
  const call = request(url, { method: 'POST', headers, agent }, (reply) => {
    if (reply.statusCode !== 200) throw new Error(`A heartbeat was answered with ${reply.statusCode}`)
    reply.resume().on('end', () => {
      underWay.delete(sent)
      waits.push(performance.now() - sent)
    })
  })
  call.end(body)
}

setInterval(() => {
  if (underWay.size < mostAtOnce) beat()
}, everyMs)

parentPort?.on('message', () => {
  const now = performance.now()
  parentPort?.postMessage([...waits, ...[...underWay].map((sent) => now - sent)])
  waits = []
})
