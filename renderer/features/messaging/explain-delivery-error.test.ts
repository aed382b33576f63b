import { expect, test } from 'vitest'
import { type Channel, explainDeliveryError } from './explain-delivery-error.ts'

test.each<[channel: Channel, error: string, meant: RegExp]>([
  ['mail', 'The server cannot be reached. Check its address, its port and its certificate.', /STARTTLS/],
  ['texts', 'The server cannot be reached. Check its address, its port and its certificate.', /firewalls/],
  ['mail', 'connect ECONNREFUSED 127.0.0.1:25', /Nothing is listening/],
  ['texts', 'connect ECONNREFUSED 127.0.0.1:443', /Nothing is listening/],
  ['mail', 'getaddrinfo ENOTFOUND mail.nowhere.test', /No server has this name/],
  ['mail', 'queryA EREFUSED mail.acme.test', /DNS/],
  ['texts', 'getaddrinfo EAI_AGAIN sms.acme.test', /DNS/],
  ['mail', 'DNS lookup for mail.acme.test timed out', /DNS/],
  ['mail', 'connect EHOSTUNREACH 2001:db8::1:25', /no route to this server/],
  ['mail', 'Connection timeout', /didn’t answer/],
  ['mail', 'The mail server took too long', /didn’t answer/],
  ['texts', 'No answer within ten seconds', /didn’t answer/],
  ['mail', 'Greeting never received', /465/],
  ['mail', '40ED:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:', /STARTTLS/],
  ['texts', '40ED:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:', /HTTPS/],
  ['mail', 'certificate has expired', /renewed/],
  ['mail', "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames", /another name/],
  ['mail', 'self-signed certificate', /NODE_EXTRA_CA_CERTS.*turn off/],
  ['texts', 'self-signed certificate in certificate chain', /NODE_EXTRA_CA_CERTS/],
  ['mail', 'unable to verify the first certificate', /doesn’t trust the issuer/],
  ['mail', '535 5.7.8 Error: authentication failed', /username and password/],
  ['mail', '534-5.7.9 Application-specific password required', /app password/],
  ['mail', '530 5.7.0 Authentication required', /requires a username/],
  ['mail', '500 Error: command not recognized', /offer encryption/],
  ['mail', '550 5.7.1 Unable to relay', /relay mail/],
  ['mail', '554 5.7.1 <a@b.test>: Relay access denied', /relay mail/],
  ['mail', '553 5.1.8 Sender address rejected', /sender/],
  ['mail', '550 5.1.1 No such user', /know the recipient/],
  ['mail', '550 no mailbox here', /know the recipient/],
  ['mail', '550 5.7.26 Unauthenticated sender', /its own message/],
  ['mail', '552 5.2.2 Mailbox full', /mailbox is full/],
  ['mail', '451 4.7.1 Greylisted', /deferring mail/],
  ['mail', '421 Too many connections', /deferring mail/],
  ['mail', 'HTTP/1.1 400 Bad Request', /no mail server/],
  ['mail', 'Connection closed unexpectedly', /closed the connection/],
  ['texts', 'other side closed', /closed the connection/],
  ['texts', '302', /redirects to another/],
  ['texts', '401 {"code":20003,"message":"Authenticate"}', /credentials/],
  ['texts', '404 Not found', /know this address/],
  ['texts', '400 {"code":21211,"message":"Invalid To"}', /rejected the message/],
  ['texts', '429 Too many', /accepting more messages/],
  ['texts', '503 Service Unavailable', /has a problem/],
])('%s: "%s" is explained in plain words', (channel, error, meant) => {
  expect(explainDeliveryError(error, channel)).toMatch(meant)
})

test('an unknown delivery error has no explanation', () => {
  for (const channel of ['mail', 'texts'] as const) expect(explainDeliveryError('kaput', channel)).toBeNull()
})
