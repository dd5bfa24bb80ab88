/** Without the characters that reverse or embed text, which could disguise a title or disorder the text around it. */
export const oneLine = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
