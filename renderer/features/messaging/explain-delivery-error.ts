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
      mail: 'The server can’t be reached, or its certificate can’t be checked. Check name and port (465 goes with TLS from the start, 587 with STARTTLS), firewalls in between, and who signed the certificate: your own authority is named to the appliance in NODE_EXTRA_CA_CERTS.',
      texts:
        'The server can’t be reached, or its certificate can’t be checked. Check the address, firewalls in between, and who signed the certificate: your own authority is named to the appliance in NODE_EXTRA_CA_CERTS.',
    },
  ],
  [/ENOTFOUND|ENODATA/, 'There is no server of this name. Check how it is spelled.'],
  [
    /EAI_AGAIN|EREFUSED|ESERVFAIL|DNS lookup/,
    'The appliance can not look up names at the moment. Check its DNS server.',
  ],
  [/ECONNREFUSED/, 'Nothing listens at this server and port. Check both.'],
  [
    /EHOSTUNREACH|ENETUNREACH/,
    'The appliance has no way to this server. Check the address, the network and firewalls.',
  ],
  [
    /Greeting never received/,
    { mail: 'The server kept silent. Check port and encryption: 465 goes with TLS from the start, 587 with STARTTLS.' },
  ],
  [
    /ETIMEDOUT|timeout|timed out|too long|No answer/i,
    'The server did not answer. Check the port, and firewalls in between.',
  ],
  [
    /wrong version number|packet length too long/,
    {
      mail: 'The server does not begin with TLS on this port. Choose STARTTLS with port 587, or another port.',
      texts: 'The server at this address does not speak HTTPS.',
    },
  ],
  [/certificate has expired/, 'The certificate of the server has expired. It has to be renewed there.'],
  [/altnames/, 'The certificate of the server is for another name. Enter the name that stands in it.'],
  [
    /self.signed|certificate|unable to (get|verify)/i,
    {
      mail: 'The appliance does not know who signed the certificate of the server. If your own authority did, name its file to the appliance in NODE_EXTRA_CA_CERTS. Or turn off “Check the certificate of the server”, only for a server in the house.',
      texts:
        'The appliance does not know who signed the certificate of the server. If your own authority did, name its file to the appliance in NODE_EXTRA_CA_CERTS.',
    },
  ],
  [
    /^53[458]|^454[ -]4\.7|Invalid login/,
    { mail: 'The server does not accept this user and password. Some providers want a password made for apps.' },
  ],
  [/^530/, { mail: 'The server wants a user and a password first.' }],
  [
    /^50[02]/,
    {
      mail: 'The server offers no encryption here, and a password goes over an encrypted connection only. Try another port.',
    },
  ],
  [
    /relay/i,
    {
      mail: 'The server does not take mail to other places from this appliance. Often it wants a user and a password.',
    },
  ],
  [/^5\d\d[ -]5\.1\.[78]/, { mail: 'The server does not accept the sender. Check the address mail comes from.' }],
  [/^55[0136][ -](?!5\.[^1])/, { mail: 'The server knows no such recipient.' }],
  [/^5\d\d[ -]5\.2|^552/, { mail: 'The mailbox of the recipient takes no more.' }],
  [/^4\d\d/, { mail: 'The server puts mail off for a while. That mends itself as a rule.' }],
  [/^5\d\d/, { mail: 'The server refused the mail. Its own words say why.' }],
  [/^HTTP\/|Invalid greeting/, { mail: 'What answers there is no mail server. Check server and port.' }],
  [/^3\d\d/, { texts: 'The address leads to another one. Enter that one.' }],
  [
    /^40[13]/,
    {
      texts: 'The provider does not accept the credentials. Check what was entered, and whether the account is active.',
    },
  ],
  [/^404/, { texts: 'The provider knows no such address or account. Check what was entered.' }],
  [/^429/, { texts: 'The provider takes no more messages at the moment. Try again later.' }],
  [/^4\d\d/, { texts: 'The provider refused the message. Check the phone number, the sender and what is sent.' }],
  [/^5\d\d/, { texts: 'The provider has trouble of its own. Try again later.' }],
  [/ECONNRESET|EPIPE|closed|hang up|terminated/, 'The server hung up. Check the port and the encryption.'],
]

/** What went wrong and what to do; null for an unknown error. */
export function explainDeliveryError(error: string, channel: Channel): string | null {
  for (const [pattern, words] of meanings) {
    const text = typeof words === 'string' ? words : words[channel]
    if (text !== undefined && pattern.test(error)) return text
  }
  return null
}
