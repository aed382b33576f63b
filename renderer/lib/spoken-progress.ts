const quarters = ['', 'a quarter is done', 'half is done', 'three quarters are done', 'all is done']

/** Progress for screen readers: in quarters, since announcing every step of long work would be a nuisance. */
export const spokenProgress = (done: number, total: number): string =>
  total === 0 ? '' : (quarters[Math.floor((done / total) * 4)] ?? '')
