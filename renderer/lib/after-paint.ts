/** Runs it once the next picture is on the screen, so that what has just changed is seen first. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}
