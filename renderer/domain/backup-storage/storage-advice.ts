export interface Advice {
  /** What happened. */
  what: string
  /** What to do about it. */
  todo: string
}

/** What agent, appliance and restic say, and what it means. */
export interface KnownProblem {
  fits: RegExp
  advice: Advice
}

/** The first that fits counts. */
export const adviceOn = (said: string, known: readonly KnownProblem[]): Advice | undefined =>
  known.find(({ fits }) => fits.test(said))?.advice

/** What backups and restores have in common. `again`: what to do afterwards, such as “Then restore again.” */
export const engineProblem = (again: string): KnownProblem => ({
  fits: /engine not available/i,
  advice: {
    what: 'restic isn’t on this device yet.',
    todo: `Install restic there, or let the appliance deliver it. ${again}`,
  },
})

export const storageProblems = (again: string): KnownProblem[] => [
  {
    fits: /access denied|forbidden|\b40[13]\b|invalidaccesskey|signaturedoesnotmatch|permission denied \(publickey/i,
    advice: { what: 'The storage refused the credentials.', todo: `Replace the credentials of the storage. ${again}` },
  },
  {
    fits: /no such host|connection refused|unreachable|dial tcp|i\/o timeout|could not resolve|EOF|connection reset/i,
    advice: {
      what: 'The device couldn’t reach the storage.',
      todo: `Check the address of the storage, and whether a firewall is in between. ${again}`,
    },
  },
  {
    fits: /x509|certificate/i,
    advice: {
      what: 'The device doesn’t trust the certificate of the storage.',
      todo: 'Give the storage’s CA certificate, or renew the certificate.',
    },
  },
]
