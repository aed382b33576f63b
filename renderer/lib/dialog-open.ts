/** Whether a dialog is open: it may hold something unsaved, and keys belong to it. */
export const isDialogOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null
