import type { ChangeMeasure } from '../snapshot-index/index.ts'

/** What counts as an unusual change. Pure: everything it depends on is an argument. */

/** Fewer changed files are nobody’s attack, and say too little. */
const fewestFiles = 20
/** Of all files; from here on the appliance looks into some. */
const sharePerBackup = 0.03

/**
 * Pairs that may be looked into. An attack during an update of programs is hidden among their pictures, and of few pairs
 * chance alone may show too few.
 */
export const pairsLookedInto = 30
/** Where there are so many, others are not looked into. */
export const enoughDocuments = 10
/** When none of so many is spoiled, or all are, the others are not looked into. */
export const firstLook = 12
/** So many of them spoiled are no chance. */
export const enoughSpoiled = 4
/** Of those that were looked into: a few of many may be another application’s format. */
const shareSpoiled = 0.2
/** Of fewer the content says too little. */
export const enoughLookedInto = 6

/** Without the content: kinds of documents of which most files changed. A change of one format touches one or two. */
const enoughKinds = 3
const fewestOfKind = 5
const shareOfKind = 0.5

const megabyte = 1024 * 1024

/** Files that are no longer as they were: changed, or another in their place. */
export const touchedFiles = ({ changed, replaced }: Pick<ChangeMeasure, 'changed' | 'replaced'>): number =>
  changed + replaced

/** Whether so much has changed that it is worth a look into some of the files. */
export function isWorthALook(measure: ChangeMeasure): boolean {
  const touched = touchedFiles(measure)
  return touched >= fewestFiles && (touched >= measure.filesBefore * sharePerBackup || kindsHit(measure) >= enoughKinds)
}

/**
 * Whether more data came than the list of files explains. restic writes each folder anew that has a change, and an
 * interrupted backup leaves data behind.
 */
export const isUnexplained = ({ newBytes, bytesBefore }: ChangeMeasure, grownBytes: number): boolean =>
  grownBytes > newBytes * 1.2 + bytesBefore * 0.1 + megabyte

/** Files that were looked into; null where the appliance cannot read them. */
export interface Looked {
  files: number
  spoiled: number
}

/**
 * Whether files became unreadable, by those of `files` that were looked into. A few that their owner encrypted are as few
 * as any others that change.
 */
export const areSpoiled = (looked: Looked, files: number): boolean =>
  looked.spoiled >= enoughSpoiled &&
  looked.spoiled >= looked.files * shareSpoiled &&
  (looked.spoiled / looked.files) * files >= fewestFiles

/** What is unusual; null when nothing is. `content`: files became unreadable. `kinds`: most documents changed. */
export function verdictOf(measure: ChangeMeasure, looked: Looked | null): 'content' | 'kinds' | null {
  if (looked && areSpoiled(looked, measure.drawnFrom)) return 'content'
  // Readable content is proof that it is no encryption.
  if (looked && looked.files >= enoughLookedInto) return null
  return touchedFiles(measure) >= fewestFiles && kindsHit(measure) >= enoughKinds ? 'kinds' : null
}

const kindsHit = ({ kinds }: ChangeMeasure): number =>
  kinds.filter(({ files, touched }) => touched >= fewestOfKind && touched >= files * shareOfKind).length
