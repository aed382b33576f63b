export type Channel = 'mail' | 'texts'

/** One text for both channels, or one for each. */
type Explanation = string | Partial<Record<Channel, string>>

/**
 * Errors of networks, mail servers and providers, with their explanation. The first match counts. A leading number is
 * an SMTP reply code or an HTTP status.
 */
const meanings: [error: RegExp, words: Explanation][] = [
  [
    /cannot be reached/,
    {
      mail: 'The server can’t be reached, or its certificate can’t be verified. Check the name and port (465 for TLS, 587 for STARTTLS), firewalls in between, and who issued the certificate. For your own CA, set NODE_EXTRA_CA_CERTS on the appliance.',
      texts:
        'The server can’t be reached, or its certificate can’t be verified. Check the address, firewalls in between, and who issued the certificate. For your own CA, set NODE_EXTRA_CA_CERTS on the appliance.',
    },
  ],
  [/ENOTFOUND|ENODATA/, 'No server has this name. Check the spelling.'],
  [/EAI_AGAIN|EREFUSED|ESERVFAIL|DNS lookup/, 'The appliance can’t resolve names at the moment. Check its DNS server.'],
  [/ECONNREFUSED/, 'Nothing is listening on this server and port. Check both.'],
  [
    /EHOSTUNREACH|ENETUNREACH/,
    'The appliance has no route to this server. Check the address, the network and firewalls.',
  ],
  [
    /Greeting never received/,
    { mail: 'The server didn’t respond. Check port and encryption: 465 for TLS, 587 for STARTTLS.' },
  ],
  [
    /ETIMEDOUT|timeout|timed out|too long|No answer/i,
    'The server didn’t answer. Check the port, and firewalls in between.',
  ],
  [
    /wrong version number|packet length too long/,
    {
      mail: 'The server doesn’t use TLS on this port. Choose STARTTLS with port 587, or another port.',
      texts: 'The server at this address doesn’t use HTTPS.',
    },
  ],
  [/certificate has expired/, 'The server’s certificate has expired. It has to be renewed there.'],
  [/altnames/, 'The server’s certificate is for another name. Enter the name on the certificate.'],
  [
    /self.signed|certificate|unable to (get|verify)/i,
    {
      mail: 'The appliance doesn’t trust the issuer of the server’s certificate. If it’s your own CA, set NODE_EXTRA_CA_CERTS on the appliance to its file. Or turn off “Verify certificate”, but only for a server on your own network.',
      texts:
        'The appliance doesn’t trust the issuer of the server’s certificate. If it’s your own CA, set NODE_EXTRA_CA_CERTS on the appliance to its file.',
    },
  ],
  [
    /^53[458]|^454[ -]4\.7|Invalid login/,
    { mail: 'The server rejected this username and password. Some providers require an app password.' },
  ],
  [/^530/, { mail: 'The server requires a username and password.' }],
  [
    /^50[02]/,
    {
      mail: 'The server doesn’t offer encryption here, and passwords are only sent encrypted. Try another port.',
    },
  ],
  [
    /relay/i,
    {
      mail: 'The server doesn’t relay mail from this appliance. It may require a username and password.',
    },
  ],
  [/^5\d\d[ -]5\.1\.[78]/, { mail: 'The server doesn’t accept the sender. Check the “From” address.' }],
  [/^55[0136][ -](?!5\.[^1])/, { mail: 'The server doesn’t know the recipient.' }],
  [/^5\d\d[ -]5\.2|^552/, { mail: 'The recipient’s mailbox is full.' }],
  [/^4\d\d/, { mail: 'The server is deferring mail. This usually resolves itself.' }],
  [/^5\d\d/, { mail: 'The server rejected the email. See its own message for the reason.' }],
  [/^HTTP\/|Invalid greeting/, { mail: 'There’s no mail server at this address. Check server and port.' }],
  [/^3\d\d/, { texts: 'The address redirects to another one. Enter that one.' }],
  [
    /^40[13]/,
    {
      texts: 'The provider rejected the credentials. Check them, and whether the account is active.',
    },
  ],
  [/^404/, { texts: 'The provider doesn’t know this address or account. Check what you entered.' }],
  [/^429/, { texts: 'The provider isn’t accepting more messages right now. Try again later.' }],
  [/^4\d\d/, { texts: 'The provider rejected the message. Check the phone number, the sender and the text.' }],
  [/^5\d\d/, { texts: 'The provider has a problem. Try again later.' }],
  [
    /ECONNRESET|EPIPE|closed|hang up|terminated/,
    'The server closed the connection. Check the port and the encryption.',
  ],
]

/** What went wrong and what to do; null for an unknown error. */
export function explainDeliveryError(error: string, channel: Channel): string | null {
  for (const [pattern, words] of meanings) {
    const text = typeof words === 'string' ? words : words[channel]
    if (text !== undefined && pattern.test(error)) return text
  }
  return null
}
