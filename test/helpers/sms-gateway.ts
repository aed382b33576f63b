import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Message {
  to: string
  text: string
}

/** A gateway that sends text messages nowhere; it refuses them while `isDown`. */
export async function smsGateway() {
  const messages: Message[] = []
  const gateway = {
    messages,
    isDown: false,
    env: {} as Record<string, string>,
    /** The code in the newest message to a number. */
    codeTo: (number: string): string => {
      const code = /\d{6}/.exec(messages.findLast(({ to }) => to === number)?.text ?? '')?.[0]
      if (!code) throw new Error(`nothing was sent to ${number}`)
      return code
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as Message
    if (!gateway.isDown) messages.push(message)
    response.writeHead(gateway.isDown ? 503 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  gateway.env = {
    SMS_PROVIDER: 'gateway',
    SMS_GATEWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`,
    SMS_GATEWAY_TEMPLATE: '{"to":"{{to}}","text":"{{text}}"}',
  }
  return gateway
}
